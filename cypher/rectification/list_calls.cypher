// List the calls and results that events at some places recorded: a call with every result of it, a result with its call, and the
// memory that was made of each.
// scope: tenant · access: read · index: tool_call_place, tool_call_uid, tool_artifact_result_place
// params: tenant_id: str, places: list[map]
// returns: event_uid: str, call: map, artifact: map, memory: map | None (many)
UNWIND $places AS row
CALL (row) {
  MATCH (c:ToolCall)
  WHERE c.branch_ref = row.branch_ref AND c.seq = row.seq
  MATCH (c)-[:RESULTED_IN]->(a:ToolArtifact)
  RETURN c, a
UNION ALL
  MATCH (a:ToolArtifact)
  WHERE a.branch_ref = row.branch_ref AND a.result_seq = row.seq
  MATCH (c:ToolCall {uid: a.call_uid})
  RETURN c, a
}
WITH row, c, a
WHERE c.tenant_id = $tenant_id AND a.tenant_id = $tenant_id
OPTIONAL MATCH (m:ToolMemory)-[:DERIVED_FROM]->(a)
RETURN row.event_uid AS event_uid, properties(c) AS call, properties(a) AS artifact, properties(m) AS memory
