// Delete some responses that are older than a moment and that nothing refers to, with their edges. The first SET takes each
// node's lock: whoever refers to it first keeps it, whoever comes later finds it gone.
// scope: tenant · access: write · index: response_recorded_at
// params: tenant_id: str, before: datetime, passed: int, limit: int
// returns: found: int, deleted: int (one)
// eager: at most the limit's rows; what refers to a node must be read after its lock was taken
MATCH (n:Response)
WHERE n.tenant_id = $tenant_id AND n.recorded_at < $before
WITH n
ORDER BY n.tenant_id, n.recorded_at
SKIP $passed
LIMIT $limit
SET n.tenant_id = $tenant_id
WITH collect(n) AS found
WITH size(found) AS found, [n IN found WHERE n.recorded_at < $before AND NOT EXISTS { MATCH (n)<-[r]-() WHERE NOT r:ANSWERED_BY }] AS old
FOREACH (n IN old | DETACH DELETE n)
RETURN found, size(old) AS deleted
