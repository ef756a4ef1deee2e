// Read the relationships in a stretch of the database's own relationship numbers, whole; of one tenant where one is named.
// scope: system · access: read · index: none (relationships by their numbers)
// params: first: int, last: int, tenant_id: str | None
// returns: seen: int, relationships: list[map] (one)
MATCH (n)-[r]->()
WHERE id(r) IN range($first, $last)
WITH r, $tenant_id IS NULL OR n.tenant_id IS NULL OR n.tenant_id = $tenant_id AS chosen
RETURN
  count(*) AS seen,
  collect(CASE WHEN chosen THEN { type: type(r), properties: properties(r) } END) AS relationships
