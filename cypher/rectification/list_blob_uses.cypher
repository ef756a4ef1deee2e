// List which of some large bytes calls and results in stretches of branches still name.
// scope: tenant · access: read · index: tool_call_place, tool_artifact_call_place
// params: tenant_id: str, stretches: list[map], digests: list[str]
// returns: sha256: str (many)
UNWIND $stretches AS s
CALL (s) {
  MATCH (n:ToolCall)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.arguments_blob AS sha256
UNION ALL
  MATCH (n:ToolArtifact)
  WHERE n.branch_ref = s.branch_ref AND n.call_seq > s.floor AND n.call_seq <= s.ceiling
  RETURN n, n.result_blob AS sha256
}
WITH n, sha256
WHERE n.tenant_id = $tenant_id AND sha256 IN $digests
RETURN DISTINCT sha256 AS sha256
