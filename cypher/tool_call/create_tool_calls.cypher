// Create tool calls, each requested by its run where it names one.
// scope: tenant · access: write · index: model_run_uid
// params: tenant_id: str, calls: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $calls AS row
CREATE (t:ToolCall)
SET t = row, t.tenant_id = $tenant_id
WITH t
WHERE t.run_uid IS NOT NULL
MATCH (r:ModelRun {uid: t.run_uid})
CREATE (r)-[:REQUESTED]->(t)
