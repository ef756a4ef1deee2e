// Create model runs, each with the assembly it used and the checkpoint it takes up, where it names them.
// scope: tenant · access: write · index: context_assembly_uid, continuation_checkpoint_uid
// params: tenant_id: str, runs: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $runs AS row
CREATE (r:ModelRun)
SET r = row, r.tenant_id = $tenant_id
WITH r
CALL (r) {
  MATCH (a:ContextAssembly {uid: r.assembly_id})
  CREATE (r)-[:USED]->(a)
}
CALL (r) {
  MATCH (k:ContinuationCheckpoint {uid: r.checkpoint_uid})
  CREATE (r)-[:RESUMED_FROM]->(k)
}
