// List what is a tenant's in a stretch of the database's own node numbers.
// scope: tenant · access: read · index: none (nodes by their numbers)
// params: tenant_id: str, first: int, last: int
// returns: numbers: list[int] (one)
UNWIND range($first, $last) AS number
MATCH (n)
WHERE id(n) = number AND n.tenant_id = $tenant_id
RETURN collect(number) AS numbers
