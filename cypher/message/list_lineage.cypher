// List a lineage's messages, newest first, and the newest user message wherever it stands.
// Narrows by lineage only; policies/visibility.py and policies/privacy.py decide.
// scope: tenant · access: read · index: message_place
// params: tenant_id: str, stretches: list[map], user_seq: int, limit: int
// returns: uid: str, branch_ref: int, seq: int, role: str, text: str, tokens: int, recorded_ms: int, participant_uid: str, run_uid: str | None, visibility: str, privacy_class: str, shared_with: list[str] (many)
UNWIND $stretches AS stretch
CALL (stretch) {
  MATCH (m:Message)
  WHERE m.branch_ref = stretch.branch_ref AND m.seq > stretch.floor AND m.seq <= stretch.ceiling
    AND m.tenant_id = $tenant_id
  RETURN m
  ORDER BY m.branch_ref DESC, m.seq DESC // the index gives this order: no more than the limit is read
  LIMIT $limit
UNION
  MATCH (m:Message)
  WHERE m.branch_ref = stretch.branch_ref AND m.seq = $user_seq AND stretch.floor < $user_seq
    AND $user_seq <= stretch.ceiling AND m.tenant_id = $tenant_id
  RETURN m
}
WITH m
ORDER BY m.seq = $user_seq DESC, m.seq DESC
LIMIT $limit + 1
RETURN m.uid AS uid, m.branch_ref AS branch_ref, m.seq AS seq, m.role AS role,
       m.text AS text, m.tokens AS tokens, m.recorded_at.epochMillis AS recorded_ms,
       m.participant_uid AS participant_uid,
       m.run_uid AS run_uid, m.visibility AS visibility, m.privacy_class AS privacy_class,
       m.shared_with AS shared_with
ORDER BY m.seq DESC
