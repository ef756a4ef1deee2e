// Find what a person asked for, by the client's id.
// scope: tenant · access: read · index: privacy_request_key
// params: tenant_id: str, request_id: str
// returns: request: map (one)
MATCH (r:PrivacyRequest {tenant_id: $tenant_id, request_id: $request_id})
RETURN r {.*, notices: {
         open: COUNT { (r)<-[:TELLS_OF]-(n:Notice) WHERE n.sent_at IS NULL },
         sent: COUNT { (r)<-[:TELLS_OF]-(n:Notice) WHERE n.sent_at IS NOT NULL }
       }} AS request
