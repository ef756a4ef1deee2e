// Find a tenant by its name.
// scope: system · access: read · index: tenant_name
// params: name: str
// returns: tenant_id: str (one)
MATCH (t:Tenant {name: $name})
RETURN t.tenant_id AS tenant_id
