// Find people by the client's ids, hidden ones too: for the office.
// scope: tenant · access: read · index: user_key
// params: tenant_id: str, user_ids: list[str]
// returns: user_id: str, uid: str, erased_at: datetime | None (many)
UNWIND $user_ids AS id
MATCH (u:User {tenant_id: $tenant_id, user_id: id})
RETURN u.user_id AS user_id, u.uid AS uid, u.erased_at AS erased_at
