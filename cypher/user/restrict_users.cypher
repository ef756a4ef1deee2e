// Restrict people, or restrict them no longer where no time is given; answers those who are not being erased.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, user_uids: list[str], restricted_at: datetime | None
// returns: user_uid: str (many)
// eager: at most the few people of one request
UNWIND $user_uids AS uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
SET u.restricted_at = CASE WHEN $restricted_at IS NULL THEN null ELSE coalesce(u.restricted_at, $restricted_at) END
WITH u
WHERE u.erased_at IS NULL
RETURN u.uid AS user_uid
