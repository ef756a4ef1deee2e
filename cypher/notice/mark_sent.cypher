// Note that a recipient was told, once: what was noted first stands. The first SET takes the lock.
// scope: tenant · access: write · index: notice_uid
// params: tenant_id: str, uid: str, sent_at: datetime, sent_by: str, reference: str | None
// returns: notice: map, first: bool (one)
// eager: one notice; it is read after its lock was taken
MATCH (n:Notice {uid: $uid})
WHERE n.tenant_id = $tenant_id
SET n.uid = $uid
WITH n, n.sent_at IS NULL AS first
FOREACH (one IN CASE WHEN first THEN [n] ELSE [] END |
  SET one.sent_at = $sent_at, one.sent_by = $sent_by, one.reference = $reference)
WITH n, first
MATCH (n)-[:TELLS_OF]->(r:PrivacyRequest)
RETURN n {.*, request_id: r.request_id, request_uid: r.uid} AS notice, first AS first
