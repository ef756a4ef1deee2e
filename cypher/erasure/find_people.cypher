// Find a person with all that are the same one, by the client's ids or by uids.
// scope: tenant · access: read · index: user_key, user_uid
// params: tenant_id: str, user_ids: list[str], uids: list[str], limit: int
// returns: uid: str, user_id: str | None, aliases: list[str], erased_at: datetime | None (many)
CALL () {
  UNWIND $user_ids AS id
  MATCH (u:User {tenant_id: $tenant_id, user_id: id})
  RETURN u
UNION
  UNWIND $uids AS uid
  MATCH (u:User {uid: uid})
  RETURN u
}
WITH u
WHERE u.tenant_id = $tenant_id
MATCH (u)-[:SAME_AS*0..64]-(p:User)
WITH DISTINCT p
LIMIT $limit
RETURN p.uid AS uid, p.user_id AS user_id, coalesce(p.aliases, []) AS aliases, p.erased_at AS erased_at
ORDER BY uid
