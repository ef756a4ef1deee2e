// Let one writer at a time draw a tenant's insights, and answer what that needs to know: the active configuration, and the
// nodes of the knowledge graph.
// scope: tenant · access: write · index: tenant_key, query_key, response_key, product_key, document_key, booking_key, competitor_price_key
// params: tenant_id: str
// returns: active_version: int, node_count: int (one)
// eager: one row
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.tenant_id = $tenant_id
RETURN coalesce(t.active_version, 0) AS active_version,
       COUNT { MATCH (n:Query) WHERE n.tenant_id = $tenant_id AND n.text_sha256 IS NOT NULL }
       + COUNT { MATCH (n:Response) WHERE n.tenant_id = $tenant_id AND n.message_uid IS NOT NULL }
       + COUNT { MATCH (n:Product) WHERE n.tenant_id = $tenant_id AND n.product_id IS NOT NULL }
       + COUNT { MATCH (n:Document) WHERE n.tenant_id = $tenant_id AND n.document_id IS NOT NULL }
       + COUNT { MATCH (n:Booking) WHERE n.tenant_id = $tenant_id AND n.booking_id IS NOT NULL }
       + COUNT { MATCH (n:CompetitorPrice) WHERE n.tenant_id = $tenant_id AND n.competitor_price_id IS NOT NULL }
       AS node_count
