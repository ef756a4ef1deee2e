// Restrict people under all their ids, or restrict them no longer where no time is given; answers those who are not being
// erased. The first SET takes the locks: who is said to be the same meanwhile is seen, or sees that they are restricted.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, user_uids: list[str], restricted_at: datetime | None
// returns: user_uid: str (many)
// eager: at most the few people of one request
UNWIND $user_uids AS uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
SET u.uid = uid
WITH collect(u) AS known
UNWIND known AS u
MATCH (u)-[:SAME_AS*0..64]-(p:User)
WITH DISTINCT p
SET p.restricted_at = CASE WHEN $restricted_at IS NULL THEN null ELSE coalesce(p.restricted_at, $restricted_at) END
WITH p
WHERE p.erased_at IS NULL
RETURN p.uid AS user_uid
