// Make a version, or 0 for the defaults, the one that assemblies use, if the version that the caller knows is still active.
// scope: tenant · access: write · index: tenant_key, tenant_configuration_key
// params: tenant_id: str, version: int, expected_version: int
// returns: version: int | None, was: int (one)
// eager: one row
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.tenant_id = $tenant_id // takes the node's lock before its value is compared
WITH t, coalesce(t.active_version, 0) AS was
OPTIONAL MATCH (c:TenantConfiguration {tenant_id: $tenant_id, version: $version})
WITH t, was, CASE WHEN $version = 0 THEN 0 ELSE c.version END AS found
SET t.active_version = CASE WHEN found IS NOT NULL AND was = $expected_version THEN found ELSE t.active_version END
RETURN found AS version, was
