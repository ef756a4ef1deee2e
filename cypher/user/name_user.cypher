// Say what a user is called in texts, in place of what was said before.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, uid: str, aliases: list[str], now: datetime, key_uid: str
// returns: (none)
MATCH (u:User {uid: $uid})
WHERE u.tenant_id = $tenant_id
SET u.aliases = CASE $aliases WHEN [] THEN null ELSE $aliases END, u.changed_at = $now, u.changed_by = $key_uid
