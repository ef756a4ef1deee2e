// List the nodes in a stretch of the database's own node numbers; where a tenant is named, that one's and those of none.
// scope: system · access: read · index: none (nodes by their numbers)
// params: first: int, last: int, tenant_id: str | None
// returns: seen: int, numbers: list[int] (one)
UNWIND range($first, $last) AS number
MATCH (n)
WHERE id(n) = number
WITH number, $tenant_id IS NULL OR n.tenant_id IS NULL OR n.tenant_id = $tenant_id AS chosen
RETURN count(*) AS seen, collect(CASE WHEN chosen THEN number END) AS numbers
