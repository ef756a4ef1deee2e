// List the exports of all tenants that were made before a moment and are still there.
// scope: system · access: read · index: none (few requests, whatever their tenant)
// params: kinds: list[str], state: str, before: datetime, limit: int
// returns: tenant_id: str, uid: str (many)
MATCH (r:PrivacyRequest)
WHERE r.request_kind IN $kinds AND r.state = $state AND r.finished_at < $before
RETURN r.tenant_id AS tenant_id, r.uid AS uid
LIMIT $limit
