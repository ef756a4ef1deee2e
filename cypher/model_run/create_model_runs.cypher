// Create model runs, each with the assembly it used where it names one.
// scope: tenant · access: write · index: context_assembly_uid
// params: tenant_id: str, runs: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $runs AS row
CREATE (r:ModelRun)
SET r = row, r.tenant_id = $tenant_id
WITH r
WHERE r.assembly_id IS NOT NULL
MATCH (a:ContextAssembly {uid: r.assembly_id})
CREATE (r)-[:USED]->(a)
