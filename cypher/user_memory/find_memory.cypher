// Find a user memory by the client's id, with all that was recorded of the same until a time, newest first.
// scope: tenant · access: read · index: tenant_key, user_memory_key, user_memory_about
// params: tenant_id: str, memory_id: str, now: datetime, limit: int
// returns: uid: str, user_id: str, message_ids: list[str], memories: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (f:UserMemory {tenant_id: $tenant_id, memory_id: $memory_id})-[:ABOUT]->(u:User)
WHERE (hidden IS NULL OR none(who IN f.subject_uids WHERE who IN hidden)) AND (hidden IS NULL OR NOT u.uid IN hidden)
RETURN f.uid AS uid, u.user_id AS user_id,
       COLLECT { MATCH (f)-[:DERIVED_FROM]->(s:Message) WHERE (hidden IS NULL OR none(who IN s.subject_uids WHERE who IN hidden)) RETURN s.message_id ORDER BY s.seq } AS message_ids,
       COLLECT {
         MATCH (m:UserMemory)
         WHERE m.user_uid = f.user_uid AND m.memory_key = f.memory_key
         WITH m, COLLECT {
                MATCH (n:UserMemory)-[:SUPERSEDES]->(m)
                WHERE n.effective_at <= $now AND n.recorded_at <= $now
                RETURN n.uid
                ORDER BY n.effective_at DESC, n.uid DESC
              } AS superseded_by
         WHERE m.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.recorded_at <= $now AND coalesce(m.agent = f.agent, m.agent IS NULL AND f.agent IS NULL)
         RETURN m {.*, superseded_by: superseded_by}
         ORDER BY m.uid = f.uid DESC, m.effective_at DESC, m.uid DESC
         LIMIT $limit
       } AS memories
