// Create a tenant.
// scope: system · access: write · index: none (creates)
// params: tenant: map
// returns: (none)
CREATE (t:Tenant)
SET t = $tenant
