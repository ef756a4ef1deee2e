// Note who is to be told what became of a request, each once.
// scope: tenant · access: write · index: privacy_request_uid, notice_uid
// params: tenant_id: str, request_uid: str, notices: list[map], now: datetime
// returns: (none)
// eager: one request and its few recipients
MATCH (r:PrivacyRequest {uid: $request_uid})
WHERE r.tenant_id = $tenant_id
UNWIND $notices AS row
MERGE (n:Notice {uid: row.uid})
ON CREATE SET n.tenant_id = $tenant_id, n.recipient = row.recipient, n.request_kind = r.request_kind, n.created_at = $now
MERGE (n)-[:TELLS_OF]->(r)
