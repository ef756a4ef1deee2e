// Give an entity these names and no others. A name may be that of several.
// scope: tenant · access: write · index: product_uid, document_uid, booking_uid, competitor_price_uid, entity_name_key
// params: tenant_id: str, entity_uid: str, names: list[map], recorded_at: datetime
// returns: (none)
// eager: one entity with its few names
CALL () {
  MATCH (n:Product {uid: $entity_uid})
  RETURN n
UNION
  MATCH (n:Document {uid: $entity_uid})
  RETURN n
UNION
  MATCH (n:Booking {uid: $entity_uid})
  RETURN n
UNION
  MATCH (n:CompetitorPrice {uid: $entity_uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
CALL (n) {
  MATCH (k:EntityName)-[r:NAMES]->(n)
  WHERE NOT k.name_key IN [row IN $names | row.name_key]
  DELETE r
}
WITH n
UNWIND $names AS row
MERGE (k:EntityName {tenant_id: $tenant_id, name_key: row.name_key})
ON CREATE SET k.uid = row.uid, k.recorded_at = $recorded_at
MERGE (k)-[:NAMES]->(n)
