// List a lineage's messages, newest first, and the newest user message wherever it stands.
// Narrows by lineage only; policies/visibility.py and policies/privacy.py decide.
// scope: tenant · access: read · index: tenant_key, message_place
// params: tenant_id: str, stretches: list[map], user_seq: int, limit: int
// returns: uid: str, branch_ref: int, seq: int, role: str, text: str, tokens: int, recorded_ms: int, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS stretch
CALL (stretch, hidden) {
  MATCH (m:Message)
  WHERE m.branch_ref = stretch.branch_ref AND m.seq > stretch.floor AND m.seq <= stretch.ceiling
    AND m.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
  RETURN m
  ORDER BY m.branch_ref DESC, m.seq DESC // the index gives this order: no more than the limit is read
  LIMIT $limit
UNION
  MATCH (m:Message)
  WHERE m.branch_ref = stretch.branch_ref AND m.seq = $user_seq AND stretch.floor < $user_seq
    AND $user_seq <= stretch.ceiling AND m.tenant_id = $tenant_id
    AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
  RETURN m
}
WITH m
ORDER BY m.seq = $user_seq DESC, m.seq DESC
LIMIT $limit + 1
WITH properties(m) AS p // one walk along a node's properties, where each m.name is a walk of its own
RETURN p.uid AS uid, p.branch_ref AS branch_ref, p.seq AS seq, p.role AS role,
       p.text AS text, p.tokens AS tokens, p.recorded_at.epochMillis AS recorded_ms,
       p.participant_uid AS participant_uid,
       p.visibility AS visibility, p.privacy_class AS privacy_class,
       p.shared_with AS shared_with
ORDER BY p.seq DESC
