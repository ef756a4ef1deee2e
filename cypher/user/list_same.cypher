// List all users that are one person with some users, those included, by uid.
// scope: tenant · access: read · index: user_uid
// params: tenant_id: str, uids: list[str], limit: int
// returns: uid: str, user_id: str | None, aliases: list[str], restricted_at: datetime | None, changed_at: datetime | None, changed_by: str | None (many)
UNWIND $uids AS uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
MATCH (u)-[:SAME_AS*0..64]-(p:User)
WITH DISTINCT p
LIMIT $limit
RETURN p.uid AS uid, p.user_id AS user_id, coalesce(p.aliases, []) AS aliases, p.restricted_at AS restricted_at,
       p.changed_at AS changed_at, p.changed_by AS changed_by
ORDER BY uid
