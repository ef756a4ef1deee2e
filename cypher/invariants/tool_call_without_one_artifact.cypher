// Find tool calls that do not have exactly one artifact on their own branch: it is captured at the call.
// scope: tenant · access: read · index: tool_call_key
// params: tenant_id: str, limit: int
// returns: call_uid: str, artifacts: int (many)
MATCH (t:ToolCall)
WHERE t.tenant_id = $tenant_id AND t.call_id IS NOT NULL
WITH t, COUNT { (t)-[:RESULTED_IN]->(a:ToolArtifact) WHERE a.branch_ref = t.branch_ref } AS artifacts
WHERE artifacts <> 1
RETURN t.uid AS call_uid, artifacts
LIMIT $limit
