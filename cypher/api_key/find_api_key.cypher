// Find who a presented key belongs to.
// scope: system · access: read · index: api_key_hash
// params: key_hash: str
// returns: uid: str, tenant_id: str, scopes: list[str] (one)
MATCH (k:ApiKey {key_hash: $key_hash})
WHERE k.revoked_at IS NULL
RETURN k.uid AS uid, k.tenant_id AS tenant_id, k.scopes AS scopes
