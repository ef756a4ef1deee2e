// Create messages, each produced by its run where it names one.
// scope: tenant · access: write · index: model_run_uid
// params: tenant_id: str, messages: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $messages AS row
CREATE (m:Message)
SET m = row, m.tenant_id = $tenant_id
WITH m
WHERE m.run_uid IS NOT NULL
MATCH (r:ModelRun {uid: m.run_uid})
CREATE (r)-[:PRODUCED]->(m)
