// Open people for new memories: take each person's lock, then answer what stands of each thing, with what none supersedes.
// scope: tenant · access: write · index: user_uid, user_memory_about
// params: tenant_id: str, named: map, now: datetime, limit: int
// returns: user_uid: str, memory_key: str, standing: list[map] (many)
// eager: the locks of all people are held before anything is read
CALL () {
  UNWIND $named.user_uids AS uid
  MATCH (u:User {uid: uid})
  WHERE u.tenant_id = $tenant_id
  SET u.remembered_at = $now
  RETURN count(u) AS locked
}
WITH locked
UNWIND $named.about AS one
CALL (one) {
  MATCH (m:UserMemory)
  WHERE m.user_uid = one.user_uid AND m.memory_key = one.memory_key AND m.tenant_id = $tenant_id
    AND NOT EXISTS { MATCH (:UserMemory)-[:SUPERSEDES]->(m) }
  RETURN m
  ORDER BY m.effective_at DESC
  LIMIT $limit
}
WITH one, collect(m {.*}) AS standing
RETURN one.user_uid AS user_uid, one.memory_key AS memory_key, standing
