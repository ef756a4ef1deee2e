// Create tool artifacts beneath their calls: pending ones at the call, others with their result.
// scope: tenant · access: write · index: tool_call_uid
// params: tenant_id: str, artifacts: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $artifacts AS row
MATCH (t:ToolCall {uid: row.call_uid})
WHERE t.tenant_id = $tenant_id
CREATE (t)-[:RESULTED_IN]->(a:ToolArtifact)
SET a = row, a.tenant_id = $tenant_id
