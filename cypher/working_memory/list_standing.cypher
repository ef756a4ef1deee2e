// List what participants have noted down on a lineage, each's newest version, and which configuration is active; for a
// recorder also what is hidden, as what it writes goes on from there.
// scope: tenant · access: read · index: tenant_key, working_memory_version
// params: tenant_id: str, stretches: list[map], named: map, recording: bool
// returns: active_version: int, standing: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t, t.hidden_uids AS hidden
RETURN coalesce(t.active_version, 0) AS active_version,
       COLLECT {
         UNWIND $named.participant_uids AS participant_uid
         CALL (participant_uid, hidden) {
           UNWIND $stretches AS s
           CALL (s, participant_uid, hidden) {
             MATCH (w:WorkingMemory)
             USING INDEX w:WorkingMemory(branch_ref, participant_uid, version)
             WHERE ($recording OR w.retained_as IS NULL AND (hidden IS NULL OR none(who IN w.subject_uids WHERE who IN hidden)))
               AND w.branch_ref = s.branch_ref AND w.participant_uid = participant_uid AND w.version > 0
               AND w.seq > s.floor AND w.seq <= s.ceiling AND w.tenant_id = $tenant_id
             RETURN w
             ORDER BY w.branch_ref DESC, w.participant_uid DESC, w.version DESC // the index gives this order
             LIMIT 1
           }
           RETURN w
           LIMIT 1
         }
         RETURN w {.version, .fields, .block, .branch_ref, .participant_uid, .visibility, .privacy_class, .shared_with,
                   .subject_uids}
       } AS standing
