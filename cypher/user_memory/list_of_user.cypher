// List what was recorded of a person until a time, newest first: those that nothing supersedes by then, and the others,
// on request without what they say. Narrows only; policies/user_memories.py decides.
// scope: tenant · access: read · index: tenant_key, user_memory_recorded_at
// params: tenant_id: str, user_uid: str, memory_kind: str | None, now: datetime, with_values: bool, standing_limit: int, superseded_limit: int
// returns: standing: list[map], superseded: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
RETURN COLLECT {
         MATCH (m:UserMemory)
         WHERE m.user_uid = $user_uid AND m.recorded_at <= $now
         WITH m
         WHERE m.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL AND m.memory_kind = coalesce($memory_kind, m.memory_kind)
           AND NOT EXISTS { MATCH (n:UserMemory)-[:SUPERSEDES]->(m) WHERE n.effective_at <= $now AND n.recorded_at <= $now }
         RETURN m {.*}
         ORDER BY m.user_uid DESC, m.recorded_at DESC
         LIMIT $standing_limit
       } AS standing,
       COLLECT {
         MATCH (m:UserMemory)
         WHERE m.user_uid = $user_uid AND m.recorded_at <= $now
         WITH m, COLLECT {
                MATCH (n:UserMemory)-[:SUPERSEDES]->(m)
                WHERE n.effective_at <= $now AND n.recorded_at <= $now
                RETURN n.uid
                ORDER BY n.effective_at DESC, n.uid DESC
              } AS superseded_by
         WHERE m.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
           AND m.memory_kind = coalesce($memory_kind, m.memory_kind) AND superseded_by <> []
         RETURN m {.*, value: CASE WHEN $with_values THEN m.value END, superseded_by: superseded_by}
         ORDER BY m.user_uid DESC, m.recorded_at DESC
         LIMIT $superseded_limit
       } AS superseded
