// Read one version of a tenant's configuration.
// scope: tenant · access: read · index: tenant_configuration_key
// params: tenant_id: str, version: int
// returns: version: int, settings: str, note: str | None, created_at: datetime (one)
MATCH (c:TenantConfiguration {tenant_id: $tenant_id, version: $version})
RETURN c.version AS version, c.settings AS settings, c.note AS note, c.created_at AS created_at
