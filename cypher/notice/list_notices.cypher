// List notices, oldest first: those that are open, or that were sent, or all; after one of them where it is named.
// scope: tenant · access: read · index: notice_created_at, notice_uid
// params: tenant_id: str, open: bool | None, after: str | None, limit: int
// returns: notice: map (many)
OPTIONAL MATCH (last:Notice {uid: $after})
WHERE last.tenant_id = $tenant_id
WITH last
WHERE $after IS NULL OR last IS NOT NULL
WITH coalesce(last.created_at, datetime({epochSeconds: 0})) AS since
MATCH (n:Notice)
WHERE n.tenant_id = $tenant_id AND n.created_at >= since
WITH n, since
WHERE ($open IS NULL OR (n.sent_at IS NULL) = $open) AND (n.created_at > since OR $after IS NULL OR n.uid > $after)
WITH n
ORDER BY n.created_at, n.uid
LIMIT $limit
MATCH (n)-[:TELLS_OF]->(r:PrivacyRequest)
RETURN n {.*, request_id: r.request_id, request_uid: r.uid} AS notice
ORDER BY n.created_at, n.uid
