// Find people by the client's ids and take the lock of each, so that an erasure or a restriction comes wholly before or
// wholly after.
// scope: tenant · access: write · index: user_key
// params: tenant_id: str, user_ids: list[str]
// returns: user_id: str, uid: str, erased_at: datetime | None (many)
// eager: at most two people; they are read after their locks were taken
UNWIND $user_ids AS id
MATCH (u:User {tenant_id: $tenant_id, user_id: id})
SET u.tenant_id = $tenant_id
WITH u
RETURN u.user_id AS user_id, u.uid AS uid, u.erased_at AS erased_at
