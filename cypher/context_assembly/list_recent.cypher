// List a tenant's newest assemblies.
// scope: tenant · access: read · index: context_assembly_created_at
// params: tenant_id: str, limit: int
// returns: assembly_id: str (many)
MATCH (a:ContextAssembly {tenant_id: $tenant_id})
WHERE a.created_at IS NOT NULL
RETURN a.uid AS assembly_id
ORDER BY a.tenant_id DESC, a.created_at DESC // the index gives this order: reading stops at the limit
LIMIT $limit
