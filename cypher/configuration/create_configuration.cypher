// Add a version of a tenant's configuration, after the newest one.
// scope: tenant · access: write · index: tenant_key
// params: tenant_id: str, configuration: map
// returns: version: int (one)
// eager: one row
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.newest_version = coalesce(t.newest_version, 0) + 1
CREATE (c:TenantConfiguration)
SET c = $configuration, c.tenant_id = $tenant_id, c.version = t.newest_version
RETURN c.version AS version
