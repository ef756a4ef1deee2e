// List the hashes of a stretch of one branch, in order.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, branch_ref: int, floor: int, ceiling: int
// returns: hash: str (many)
MATCH (e:Event)
WHERE e.branch_ref = $branch_ref AND e.seq > $floor AND e.seq <= $ceiling
WITH e
WHERE e.tenant_id = $tenant_id
WITH e
ORDER BY e.branch_ref, e.seq
RETURN e.hash AS hash
