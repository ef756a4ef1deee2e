// End people: nothing is recorded of them any more. Takes the lock of each.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, user_uids: list[str], erased_at: datetime
// returns: (none)
UNWIND $user_uids AS uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
SET u.erased_at = coalesce(u.erased_at, $erased_at)
