// List the tenants that have answers waiting to be learned from, in order, and how many each has.
// scope: system · access: read · index: message_queued_at
// params: after: str, limit: int
// returns: tenant_id: str, waiting: int (many)
MATCH (m:Message)
WHERE m.tenant_id > $after AND m.queued_at IS NOT NULL
RETURN m.tenant_id AS tenant_id, count(*) AS waiting
ORDER BY tenant_id
LIMIT $limit
