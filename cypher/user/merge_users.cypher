// Say that a user is the same person as another one, once for the two.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, uid: str, other_uid: str, now: datetime, key_uid: str
// returns: (none)
// eager: two people
MATCH (u:User {uid: $uid})
WHERE u.tenant_id = $tenant_id
MATCH (o:User {uid: $other_uid})
WHERE o.tenant_id = $tenant_id
MERGE (u)-[s:SAME_AS]-(o)
ON CREATE SET s.recorded_at = $now, s.recorded_by = $key_uid
