// List who was said to be the same as a user, whichever of the two was named first.
// scope: tenant · access: read · index: user_uid
// params: tenant_id: str, uid: str
// returns: uid: str, recorded_at: datetime, recorded_by: str (many)
MATCH (u:User {uid: $uid})
WHERE u.tenant_id = $tenant_id
MATCH (u)-[s:SAME_AS]-(p:User)
RETURN p.uid AS uid, s.recorded_at AS recorded_at, s.recorded_by AS recorded_by
ORDER BY uid
