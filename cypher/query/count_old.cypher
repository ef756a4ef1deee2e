// Count queries that are older than a moment and that nothing refers to.
// scope: tenant · access: read · index: query_asked_at
// params: tenant_id: str, before: datetime
// returns: old: int (one)
MATCH (n:Query)
WHERE n.tenant_id = $tenant_id AND n.asked_at < $before AND NOT EXISTS { (n)<--() }
RETURN count(n) AS old
