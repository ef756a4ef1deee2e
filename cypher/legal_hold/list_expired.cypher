// List the legal holds of all tenants whose time is over and that have not ended.
// scope: system · access: read · index: none (few holds, whatever their tenant)
// params: now: datetime, limit: int
// returns: tenant_id: str, hold: map (many)
MATCH (h:LegalHold)
WHERE h.ended_at IS NULL AND h.expires_at <= $now
RETURN h.tenant_id AS tenant_id, properties(h) AS hold
LIMIT $limit
