// Find artifacts that have a result and lack its bytes: whole in the node, or in the blob store by hash.
// scope: tenant · access: read · index: tool_artifact_call
// params: tenant_id: str, limit: int
// returns: artifact_uid: str (many)
MATCH (a:ToolArtifact)
WHERE a.tenant_id = $tenant_id AND a.call_uid IS NOT NULL AND a.branch_ref IS NOT NULL
WITH a
WHERE coalesce(a.result_seq, 0) > 0 // not IS NOT NULL, for which it would take another index
  AND (a.result IS NULL) = (a.result_blob IS NULL)
RETURN a.uid AS artifact_uid
LIMIT $limit
