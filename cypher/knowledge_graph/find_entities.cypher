// Find users and things of the platform by the client's ids, each kind's in one list of a map.
// scope: tenant · access: read · index: user_key, product_key, booking_key, competitor_price_key
// params: tenant_id: str, named: map
// returns: label: str, id: str, uid: str (many)
CALL () {
  UNWIND $named.user_ids AS id
  MATCH (n:User {tenant_id: $tenant_id, user_id: id})
  RETURN n, id
UNION
  UNWIND $named.product_ids AS id
  MATCH (n:Product {tenant_id: $tenant_id, product_id: id})
  RETURN n, id
UNION
  UNWIND $named.booking_ids AS id
  MATCH (n:Booking {tenant_id: $tenant_id, booking_id: id})
  RETURN n, id
UNION
  UNWIND $named.competitor_price_ids AS id
  MATCH (n:CompetitorPrice {tenant_id: $tenant_id, competitor_price_id: id})
  RETURN n, id
}
RETURN labels(n)[0] AS label, id, n.uid AS uid
