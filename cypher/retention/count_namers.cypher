// Count the calls and artifacts of a tenant, and of exactly some people, that name a blob.
// scope: tenant · access: read · index: tool_artifact_result_blob, tool_call_arguments_blob
// params: tenant_id: str, sha256: str, subject_uids: list[str]
// returns: namers: int (one)
CALL () {
  MATCH (n:ToolArtifact {tenant_id: $tenant_id, result_blob: $sha256})
  RETURN n
UNION ALL
  MATCH (n:ToolCall {tenant_id: $tenant_id, arguments_blob: $sha256})
  RETURN n
}
WITH n
WHERE all(uid IN n.subject_uids WHERE uid IN $subject_uids) AND all(uid IN $subject_uids WHERE uid IN n.subject_uids)
RETURN count(n) AS namers
