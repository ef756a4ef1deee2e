// List tenants, to run the invariants for each.
// scope: system · access: read · index: tenant_key
// params: after: str, limit: int
// returns: tenant_id: str, name: str (many)
MATCH (t:Tenant)
WHERE t.tenant_id > $after
RETURN t.tenant_id AS tenant_id, t.name AS name
ORDER BY t.tenant_id
LIMIT $limit
