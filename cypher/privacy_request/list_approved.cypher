// List requests of all tenants that were approved and are not carried out yet.
// scope: system · access: read · index: none (few requests, whatever their tenant)
// params: stages: list[str], limit: int
// returns: tenant_id: str, uid: str, request_kind: str (many)
MATCH (r:PrivacyRequest)
WHERE r.stage IN $stages
RETURN r.tenant_id AS tenant_id, r.uid AS uid, r.request_kind AS request_kind
ORDER BY uid
LIMIT $limit
