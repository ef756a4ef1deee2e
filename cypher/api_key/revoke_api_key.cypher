// Revoke a key, once.
// scope: system · access: write · index: api_key_uid
// params: uid: str, revoked_at: datetime
// returns: uid: str (one)
// eager: one row
MATCH (k:ApiKey {uid: $uid})
WHERE k.revoked_at IS NULL
SET k.revoked_at = $revoked_at
RETURN k.uid AS uid
