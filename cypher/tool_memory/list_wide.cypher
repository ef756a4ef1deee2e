// List what a conversation's branches share beyond themselves: said to the conversation, or shared with the asker.
// Narrows only; policies/visibility.py decides.
// scope: tenant · access: read · index: tenant_key, tool_memory_wide
// params: tenant_id: str, conversation_uid: str, participant_uid: str, recorded_until: datetime, limit: int
// returns: uid: str, artifact_uid: str, branch_ref: int, seq: int, part: int, tool_name: str, headline: str, headline_tokens: int, records: list[str], record_tokens: list[int], record_key: str | None, record_fields: list[str], parameters: list[str], call_status: str, freshness: str, retry_critical: bool, result_tokens: int, result_bytes: int, repair_attempts: int, observed_ms: int, recorded_ms: int, stale_ms: int | None, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (m:ToolMemory)
WHERE m.conversation_uid = $conversation_uid AND m.wide = true AND m.tenant_id = $tenant_id
  AND (m.visibility = 'conversation' OR $participant_uid IN m.shared_with)
  AND m.recorded_at <= $recorded_until
  AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
RETURN m.uid AS uid, m.artifact_uid AS artifact_uid, m.branch_ref AS branch_ref, m.seq AS seq, m.part AS part,
       m.tool_name AS tool_name, m.headline AS headline, m.headline_tokens AS headline_tokens,
       m.records AS records, m.record_tokens AS record_tokens, m.record_key AS record_key,
       m.record_fields AS record_fields, m.parameters AS parameters, m.call_status AS call_status, m.freshness AS freshness, m.retry_critical AS retry_critical,
       m.result_tokens AS result_tokens, m.result_bytes AS result_bytes,
       coalesce(m.repair_attempts, 0) AS repair_attempts,
       m.observed_at.epochMillis AS observed_ms, m.recorded_at.epochMillis AS recorded_ms,
       m.stale_after.epochMillis AS stale_ms,
       m.participant_uid AS participant_uid, m.visibility AS visibility,
       m.privacy_class AS privacy_class, m.shared_with AS shared_with
ORDER BY m.recorded_at DESC
LIMIT $limit
