// Read the nodes in a stretch of the database's own node numbers, whole, with what their outgoing relationships say; where a
// tenant is named, that one's and those of none.
// scope: system · access: read · index: none (nodes by their numbers)
// params: first: int, last: int, tenant_id: str | None
// returns: seen: int, nodes: list[map] (one)
UNWIND range($first, $last) AS number
MATCH (n)
WHERE id(n) = number
WITH n, $tenant_id IS NULL OR n.tenant_id IS NULL OR n.tenant_id = $tenant_id AS chosen
RETURN
  count(*) AS seen,
  collect(CASE WHEN chosen THEN {
    labels: labels(n),
    properties: properties(n),
    relationships: [(n)-[r]->() WHERE size(keys(r)) > 0 | { type: type(r), properties: properties(r) }],
    keeps_payload: n.erased_by IS NOT NULL AND EXISTS { (n)-[:HAS_PAYLOAD]->() },
    loose: n:Payload AND NOT EXISTS { (n)<-[:HAS_PAYLOAD]-() }
  } END) AS nodes
