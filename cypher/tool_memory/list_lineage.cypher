// List a lineage's tool memories, newest first.
// Narrows by lineage only; policies decide.
// scope: tenant · access: read · index: tenant_key, tool_memory_place
// params: tenant_id: str, stretches: list[map], limit: int
// returns: uid: str, artifact_uid: str, branch_ref: int, seq: int, part: int, tool_name: str, headline: str, headline_tokens: int, records: list[str], record_tokens: list[int], record_key: str | None, record_fields: list[str], parameters: list[str], call_status: str, freshness: str, retry_critical: bool, result_tokens: int, result_bytes: int, repair_attempts: int, observed_ms: int, recorded_ms: int, stale_ms: int | None, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS stretch
CALL (stretch, hidden) {
  MATCH (m:ToolMemory)
  WHERE m.branch_ref = stretch.branch_ref AND m.seq > stretch.floor AND m.seq <= stretch.ceiling
    AND m.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
  RETURN m
  ORDER BY m.branch_ref DESC, m.seq DESC // the index gives this order: no more than the limit is read
  LIMIT $limit
}
WITH m
ORDER BY m.seq DESC, m.part DESC
LIMIT $limit
WITH properties(m) AS p // one walk along a node's properties, where each m.name is a walk of its own
RETURN p.uid AS uid, p.artifact_uid AS artifact_uid, p.branch_ref AS branch_ref, p.seq AS seq, p.part AS part,
       p.tool_name AS tool_name, p.headline AS headline, p.headline_tokens AS headline_tokens,
       p.records AS records, p.record_tokens AS record_tokens, p.record_key AS record_key,
       p.record_fields AS record_fields, p.parameters AS parameters,
       p.call_status AS call_status, p.freshness AS freshness, p.retry_critical AS retry_critical,
       p.result_tokens AS result_tokens, p.result_bytes AS result_bytes,
       coalesce(p.repair_attempts, 0) AS repair_attempts,
       p.observed_at.epochMillis AS observed_ms, p.recorded_at.epochMillis AS recorded_ms,
       p.stale_after.epochMillis AS stale_ms,
       p.participant_uid AS participant_uid, p.visibility AS visibility,
       p.privacy_class AS privacy_class, p.shared_with AS shared_with
ORDER BY p.seq DESC, p.part DESC
