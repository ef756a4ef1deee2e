// Find a user memory by the client's id, with all that was recorded of the same until a time, newest first.
// scope: tenant · access: read · index: user_memory_key, user_memory_about
// params: tenant_id: str, memory_id: str, now: datetime, limit: int
// returns: uid: str, user_id: str, message_ids: list[str], memories: list[map] (one)
MATCH (f:UserMemory {tenant_id: $tenant_id, memory_id: $memory_id})-[:ABOUT]->(u:User)
RETURN f.uid AS uid, u.user_id AS user_id,
       COLLECT { MATCH (f)-[:DERIVED_FROM]->(s:Message) RETURN s.message_id ORDER BY s.seq } AS message_ids,
       COLLECT {
         MATCH (m:UserMemory)
         WHERE m.user_uid = f.user_uid AND m.memory_key = f.memory_key
         WITH m, COLLECT {
                MATCH (n:UserMemory)-[:SUPERSEDES]->(m)
                WHERE n.effective_at <= $now AND n.recorded_at <= $now
                RETURN n.uid
                ORDER BY n.effective_at DESC, n.uid DESC
              } AS superseded_by
         WHERE m.tenant_id = $tenant_id AND m.recorded_at <= $now AND coalesce(m.agent = f.agent, m.agent IS NULL AND f.agent IS NULL)
         RETURN m {.*, superseded_by: superseded_by}
         ORDER BY m.uid = f.uid DESC, m.effective_at DESC, m.uid DESC
         LIMIT $limit
       } AS memories
