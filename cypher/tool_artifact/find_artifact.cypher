// Find an artifact by its uid, by that of a memory of it, or by its call's client id, with its call and what policy needs to judge it. Narrows to
// what a lineage holds or its whole conversation may see: every fork may have its own answer to a call.
// scope: tenant · access: read · index: tenant_key, tool_artifact_uid, tool_memory_uid, tool_call_key
// params: tenant_id: str, conversation_uid: str, stretches: list[map], id: str
// returns: uid: str, call_id: str, tool_name: str, tool_version: str | None, call_status: str, branch_ref: int, seq: int, result_seq: int | None, result_blob: str | None, result_sha256: str | None, result_bytes: int | None, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], subject_uids: list[str], memory_uids: list[str], repair_attempts: list[int] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
CALL () {
  MATCH (a:ToolArtifact {uid: $id})
  RETURN a
UNION
  MATCH (:ToolMemory {uid: $id})-[:DERIVED_FROM]->(a:ToolArtifact)
  RETURN a
UNION
  MATCH (:ToolCall {tenant_id: $tenant_id, call_id: $id})-[:RESULTED_IN]->(a:ToolArtifact)
  RETURN a
}
WITH a, hidden
WHERE a.tenant_id = $tenant_id AND a.conversation_uid = $conversation_uid AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
WITH a, coalesce(a.result_seq, a.call_seq) AS at
WITH a, any(s IN $stretches WHERE s.branch_ref = a.branch_ref AND s.floor < at AND at <= s.ceiling) AS inherited
WHERE inherited OR a.visibility = 'conversation'
MATCH (t:ToolCall)-[:RESULTED_IN]->(a)
RETURN a.uid AS uid, t.call_id AS call_id, a.tool_name AS tool_name, a.tool_version AS tool_version,
       a.call_status AS call_status,
       a.branch_ref AS branch_ref, a.call_seq AS seq, a.result_seq AS result_seq, a.result_blob AS result_blob,
       a.result_sha256 AS result_sha256, a.result_bytes AS result_bytes,
       a.participant_uid AS participant_uid,
       a.visibility AS visibility, a.privacy_class AS privacy_class, a.shared_with AS shared_with,
       a.subject_uids AS subject_uids,
       COLLECT { MATCH (m:ToolMemory)-[:DERIVED_FROM]->(a) RETURN m.uid } AS memory_uids,
       COLLECT { MATCH (m:ToolMemory)-[:DERIVED_FROM]->(a) RETURN coalesce(m.repair_attempts, 0) } AS repair_attempts
ORDER BY inherited DESC, a.result_seq DESC
LIMIT 10
