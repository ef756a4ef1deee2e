// List a lineage's calls that nobody has answered yet, and those whose result came after `seen_seq`.
// The asker's own come first, so that others' calls never keep them beyond the limit.
// A result beyond a stretch's ceiling came after the fork: here the call is still pending. Policies decide, of an
// open call by the call alone: a deferral shows nothing but that it is one.
// scope: tenant · access: read · index: tenant_key, tool_artifact_result_place, tool_artifact_call_status
// params: tenant_id: str, stretches: list[map], seen_seq: int, participant_uid: str, limit: int
// returns: uid: str, call_id: str, call_seq: int, part: int, tool_name: str, arguments: str | None, arguments_blob: str | None, arguments_tokens: int, artifact_uid: str, branch_ref: int, call_status: str, result_seq: int | None, result_part: int | None, result: str | None, result_blob: str | None, result_tokens: int | None, error: str | None, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], subject_uids: list[str] (many)
MATCH (o:Tenant {tenant_id: $tenant_id})
WITH o.hidden_uids AS hidden
UNWIND $stretches AS stretch
CALL (stretch, hidden) {
  MATCH (a:ToolArtifact)
  WHERE a.branch_ref = stretch.branch_ref AND a.result_seq > $seen_seq AND a.result_seq > stretch.floor
    AND a.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
  RETURN a
UNION
  MATCH (a:ToolArtifact)
  WHERE a.branch_ref = stretch.branch_ref AND a.result_seq > stretch.ceiling AND a.tenant_id = $tenant_id
    AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
  RETURN a
UNION
  MATCH (a:ToolArtifact)
  WHERE a.branch_ref = stretch.branch_ref AND a.call_status IN ['pending', 'deferred']
    AND a.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
  RETURN a
}
WITH a, stretch
WHERE a.call_seq <= stretch.ceiling
MATCH (t:ToolCall)-[:RESULTED_IN]->(a)
WHERE t.retained_as IS NULL AND a.retained_as IS NULL
WITH t, a, a.result_seq <= stretch.ceiling AS answered
WHERE answered OR NOT EXISTS { // a fork answers its parent's call by an artifact of its own
  MATCH (t)-[:RESULTED_IN]->(own:ToolArtifact)
  WHERE any(s IN $stretches WHERE s.branch_ref = own.branch_ref AND own.result_seq <= s.ceiling)
}
WITH t, a, answered, answered AND NOT a.call_status IN ['pending', 'deferred'] AS resulted
RETURN t.uid AS uid, t.call_id AS call_id, t.seq AS call_seq, t.part AS part,
       t.tool_name AS tool_name, t.arguments AS arguments, t.arguments_blob AS arguments_blob, t.arguments_tokens AS arguments_tokens,
       a.uid AS artifact_uid, a.branch_ref AS branch_ref,
       CASE WHEN answered OR a.result_seq IS NULL THEN a.call_status ELSE 'pending' END AS call_status,
       CASE WHEN answered THEN a.result_seq END AS result_seq,
       CASE WHEN answered THEN a.result_part END AS result_part,
       CASE WHEN answered THEN a.result END AS result,
       CASE WHEN answered THEN a.result_blob END AS result_blob,
       CASE WHEN answered THEN a.result_tokens END AS result_tokens,
       CASE WHEN answered THEN a.error END AS error,
       a.participant_uid AS participant_uid,
       CASE WHEN resulted THEN a.visibility ELSE t.visibility END AS visibility,
       CASE WHEN resulted THEN a.privacy_class ELSE t.privacy_class END AS privacy_class,
       CASE WHEN resulted THEN a.shared_with ELSE t.shared_with END AS shared_with,
       a.subject_uids AS subject_uids
ORDER BY a.participant_uid = $participant_uid DESC, t.seq DESC, t.part DESC
LIMIT $limit
