// List the tenants in which people were hidden or erased, in order, each with how often.
// scope: system · access: read · index: tenant_key
// params: after: str, limit: int
// returns: tenant_id: str, erasure_count: int (many)
MATCH (t:Tenant)
WHERE t.tenant_id > $after
WITH t
WHERE t.erasure_count > 0
RETURN t.tenant_id AS tenant_id, t.erasure_count AS erasure_count
ORDER BY t.tenant_id
LIMIT $limit
