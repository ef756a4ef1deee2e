// Count insights that are older than a moment and that nothing refers to.
// scope: tenant · access: read · index: insight_valid_until
// params: tenant_id: str, before: datetime
// returns: old: int (one)
MATCH (n:Insight)
WHERE n.tenant_id = $tenant_id AND n.valid_until < $before AND NOT EXISTS { (n)<--() }
RETURN count(n) AS old
