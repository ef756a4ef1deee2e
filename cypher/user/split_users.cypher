// Say no longer that two users are the same person, and keep who said so; no row where nobody had said they were.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, uid: str, other_uid: str, now: datetime, key_uid: str
// returns: uid: str (one)
// eager: two people
MATCH (u:User {uid: $uid})-[s:SAME_AS]-(o:User {uid: $other_uid})
WHERE u.tenant_id = $tenant_id
DELETE s
SET u.changed_at = $now, u.changed_by = $key_uid, o.changed_at = $now, o.changed_by = $key_uid
RETURN u.uid AS uid
