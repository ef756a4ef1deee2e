// List a tenant's newest assemblies.
// scope: tenant · access: read · index: tenant_key, context_assembly_created_at
// params: tenant_id: str, limit: int
// returns: assembly_id: str (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (a:ContextAssembly {tenant_id: $tenant_id})
WHERE a.created_at IS NOT NULL
  AND (hidden IS NULL OR NOT EXISTS {
    MATCH (c:Conversation {uid: a.conversation_uid})
    WHERE c.user_uid IN hidden
  })
RETURN a.uid AS assembly_id
ORDER BY a.tenant_id DESC, a.created_at DESC // the index gives this order: reading stops at the limit
LIMIT $limit
