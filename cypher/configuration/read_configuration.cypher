// Read one version of a tenant's configuration.
// scope: tenant · access: read · index: tenant_configuration_key
// params: tenant_id: str, version: int
// returns: settings: str (one)
MATCH (c:TenantConfiguration {tenant_id: $tenant_id, version: $version})
RETURN c.settings AS settings
