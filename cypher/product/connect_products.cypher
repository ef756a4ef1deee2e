// Connect products with who booked or viewed them, with what they are like and with what they compete with; each edge once.
// scope: tenant · access: write · index: product_uid, user_uid, booking_uid, competitor_price_uid
// params: tenant_id: str, edges: list[map]
// returns: (none)
// eager: at most a batch of edges, whose ends are merged one after the other
UNWIND $edges AS row
MATCH (p:Product {uid: row.product_uid})
WHERE p.tenant_id = $tenant_id
CALL (p, row) {
  WITH p, row
  WHERE row.relationship IN ['BOOKED', 'VIEWED']
  CALL (row) {
    MATCH (n:User {uid: row.other_uid})
    RETURN n
  UNION
    MATCH (n:Booking {uid: row.other_uid})
    RETURN n
  }
  SET n.tenant_id = $tenant_id // the lock of the edge's start: nobody else sets a weight meanwhile
  WITH n, p, row
  CALL (n, p, row) {
    WITH n, p, row
    WHERE row.relationship = 'BOOKED'
    MERGE (n)-[e:BOOKED]->(p)
    RETURN e
  UNION
    WITH n, p, row
    WHERE row.relationship = 'VIEWED'
    MERGE (n)-[e:VIEWED]->(p)
    RETURN e
  }
  SET e.recorded_at = coalesce(e.recorded_at, row.recorded_at), e.initial_weight = row.weight, e.weight = row.weight,
      e.strengthened_at = row.strengthened_at, e.weighed_at = null
}
CALL (p, row) {
  WITH p, row
  WHERE row.relationship = 'SIMILAR_TO'
  MATCH (n:Product {uid: row.other_uid})
  WHERE n.tenant_id = $tenant_id
  MERGE (p)-[e:SIMILAR_TO]->(n)
  ON CREATE SET e.recorded_at = row.recorded_at
}
CALL (p, row) {
  WITH p, row
  WHERE row.relationship = 'PRICED_AGAINST'
  MATCH (n:CompetitorPrice {uid: row.other_uid})
  WHERE n.tenant_id = $tenant_id
  MERGE (p)-[e:PRICED_AGAINST]->(n)
  ON CREATE SET e.recorded_at = row.recorded_at
}
