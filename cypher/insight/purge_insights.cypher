// Delete some insights that are older than a moment and that nothing refers to, with their edges. The first SET takes each
// node's lock: whoever refers to it first keeps it, whoever comes later finds it gone.
// scope: tenant · access: write · index: insight_valid_until
// params: tenant_id: str, before: datetime, passed: int, limit: int
// returns: found: int, deleted: int (one)
// eager: at most the limit's rows; what refers to a node must be read after its lock was taken
MATCH (n:Insight)
WHERE n.tenant_id = $tenant_id AND n.valid_until < $before
WITH n
ORDER BY n.tenant_id, n.valid_until
SKIP $passed
LIMIT $limit
SET n.tenant_id = $tenant_id
WITH collect(n) AS found
WITH size(found) AS found, [n IN found WHERE n.valid_until < $before AND NOT EXISTS { (n)<--() }] AS old
FOREACH (n IN old | DETACH DELETE n)
RETURN found, size(old) AS deleted
