// List a tenant's configuration versions, newest first, with the one that is active.
// scope: tenant · access: read · index: tenant_key, tenant_configuration_key
// params: tenant_id: str, limit: int
// returns: version: int, configuration_version: str, note: str | None, created_at: datetime, active: bool (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
MATCH (c:TenantConfiguration {tenant_id: $tenant_id})
WHERE c.version > 0
RETURN c.version AS version, c.configuration_version AS configuration_version, c.note AS note,
       c.created_at AS created_at, c.version = coalesce(t.active_version, 0) AS active
ORDER BY c.version DESC
LIMIT $limit
