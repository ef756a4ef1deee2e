// Read the nodes in a stretch of the database's own node numbers, whole; of one tenant and of none where one is named.
// scope: system · access: read · index: none (nodes by their numbers)
// params: first: int, last: int, tenant_id: str | None
// returns: seen: int, nodes: list[map] (one)
MATCH (n)
WHERE id(n) IN range($first, $last)
WITH n, $tenant_id IS NULL OR n.tenant_id IS NULL OR n.tenant_id = $tenant_id AS chosen
RETURN
  count(*) AS seen,
  collect(CASE WHEN chosen THEN {
    labels: labels(n),
    properties: properties(n),
    keeps_payload: n.erased_by IS NOT NULL AND EXISTS { (n)-[:HAS_PAYLOAD]->() },
    loose: n:Payload AND NOT EXISTS { (n)<-[:HAS_PAYLOAD]-() }
  } END) AS nodes
