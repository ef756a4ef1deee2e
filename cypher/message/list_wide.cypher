// List what a conversation's branches share beyond themselves: said to the conversation, or shared with the asker.
// Narrows only; policies/visibility.py decides.
// scope: tenant · access: read · index: tenant_key, message_wide
// params: tenant_id: str, conversation_uid: str, participant_uid: str, recorded_until: datetime, limit: int
// returns: uid: str, branch_ref: int, seq: int, role: str, text: str, tokens: int, recorded_ms: int, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (m:Message)
WHERE m.conversation_uid = $conversation_uid AND m.wide = true AND m.tenant_id = $tenant_id
  AND (m.visibility = 'conversation' OR $participant_uid IN m.shared_with)
  AND m.recorded_at <= $recorded_until
  AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
RETURN m.uid AS uid, m.branch_ref AS branch_ref, m.seq AS seq, m.role AS role,
       m.text AS text, m.tokens AS tokens, m.recorded_at.epochMillis AS recorded_ms,
       m.participant_uid AS participant_uid,
       m.visibility AS visibility, m.privacy_class AS privacy_class,
       m.shared_with AS shared_with
ORDER BY m.recorded_at DESC
LIMIT $limit
