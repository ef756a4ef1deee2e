// Read which configuration of a tenant is active, 0 for the defaults.
// scope: tenant · access: read · index: tenant_key
// params: tenant_id: str
// returns: active_version: int (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
RETURN coalesce(t.active_version, 0) AS active_version
