// List the versions of a participant's working memory over stretches of a lineage, oldest first.
// scope: tenant · access: read · index: tenant_key, working_memory_version
// params: tenant_id: str, stretches: list[map], participant_uid: str, limit: int
// returns: version: int, fields: str, block: str | None, branch_ref: int, seq: int, recorded_at: datetime, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
MATCH (w:WorkingMemory)
USING INDEX w:WorkingMemory(branch_ref, participant_uid, version)
WHERE w.branch_ref = s.branch_ref AND w.participant_uid = $participant_uid AND w.version > 0
  AND w.seq > s.floor AND w.seq <= s.ceiling AND w.tenant_id = $tenant_id
  AND (hidden IS NULL OR none(who IN w.subject_uids WHERE who IN hidden))
RETURN w.version AS version, w.fields AS fields, w.block AS block, w.branch_ref AS branch_ref, w.seq AS seq,
       w.recorded_at AS recorded_at, w.participant_uid AS participant_uid, w.visibility AS visibility,
       w.privacy_class AS privacy_class, w.shared_with AS shared_with
ORDER BY version
LIMIT $limit
