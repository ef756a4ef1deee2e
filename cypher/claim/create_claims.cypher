// Create claims, each made by its run where it names one.
// scope: tenant · access: write · index: model_run_uid
// params: tenant_id: str, claims: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $claims AS row
CREATE (c:Claim)
SET c = row, c.tenant_id = $tenant_id
WITH c
WHERE c.run_uid IS NOT NULL
MATCH (r:ModelRun {uid: c.run_uid})
CREATE (r)-[:PRODUCED]->(c)
