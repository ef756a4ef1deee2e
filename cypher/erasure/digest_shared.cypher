// List what a tenant's people share and no erasure touches, page by page: things, documents and prices with their names.
// scope: tenant · access: read · index: product_key, document_key, competitor_price_key
// params: tenant_id: str, passed: int, limit: int
// returns: uid: str, kept: map, names: list[str] (many)
CALL () {
  MATCH (n:Product)
  WHERE n.tenant_id = $tenant_id AND n.product_id IS NOT NULL
  RETURN n
UNION ALL
  MATCH (n:Document)
  WHERE n.tenant_id = $tenant_id AND n.document_id IS NOT NULL
  RETURN n
UNION ALL
  MATCH (n:CompetitorPrice)
  WHERE n.tenant_id = $tenant_id AND n.competitor_price_id IS NOT NULL
  RETURN n
}
WITH n
ORDER BY n.uid
SKIP $passed
LIMIT $limit
RETURN n.uid AS uid, properties(n) AS kept, COLLECT { MATCH (k:EntityName)-[:NAMES]->(n) RETURN k.name_key ORDER BY k.name_key } AS names
