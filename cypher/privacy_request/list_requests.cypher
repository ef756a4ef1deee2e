// List what people asked for, soonest due first; by state where one is given, and by what is due before a moment.
// scope: tenant · access: read · index: privacy_request_due_at
// params: tenant_id: str, states: list[str], due_before: datetime | None, passed: int, limit: int
// returns: request: map (many)
MATCH (r:PrivacyRequest)
WHERE r.tenant_id = $tenant_id AND r.due_at IS NOT NULL
WITH r
WHERE r.state IN $states AND ($due_before IS NULL OR r.due_at < $due_before)
WITH r
ORDER BY r.due_at, r.uid
SKIP $passed
LIMIT $limit
RETURN r {.*, notices: {
         open: COUNT { (r)<-[:TELLS_OF]-(n:Notice) WHERE n.sent_at IS NULL },
         sent: COUNT { (r)<-[:TELLS_OF]-(n:Notice) WHERE n.sent_at IS NOT NULL }
       }} AS request
