// Read nodes by the database's own numbers, with every property that may hold words, and with what their outgoing
// relationships say; where a tenant is named, that one's and those of none. Numbers and times stay away: a time costs the
// driver more than all words of its node.
// scope: system · access: read · index: none (nodes by their numbers)
// params: numbers: list[int], tenant_id: str | None
// returns: labels: list[str], said: list[list[str]], relationships: list[map], keeps_payload: bool, loose: bool (many)
UNWIND $numbers AS number
MATCH (n)
WHERE id(n) = number AND ($tenant_id IS NULL OR n.tenant_id IS NULL OR n.tenant_id = $tenant_id)
WITH n, properties(n) AS found
RETURN
  labels(n) AS labels,
  [key IN keys(found) WHERE NOT found[key] IS :: INTEGER | FLOAT | BOOLEAN | ZONED DATETIME | LIST<FLOAT NOT NULL>
   | [key, found[key]]] AS said,
  [(n)-[r]->() WHERE size(keys(r)) > 0 | { type: type(r), properties: properties(r) }] AS relationships,
  n.erased_by IS NOT NULL AND EXISTS { (n)-[:HAS_PAYLOAD]->() } AS keeps_payload,
  n:Payload AND NOT EXISTS { (n)<-[:HAS_PAYLOAD]-() } AS loose
