// Find assemblies that do not name their policy version, their branch head or their token arithmetic, or that
// cost more than their budget.
// scope: tenant · access: read · index: context_assembly_created_at
// params: tenant_id: str, limit: int
// returns: assembly_uid: str (many)
MATCH (a:ContextAssembly)
WHERE a.tenant_id = $tenant_id AND a.created_at IS NOT NULL
WITH a, [a.policy_version, a.branch_ref, a.head, a.encoding, a.full_transcript_tokens] AS named
WHERE any(one IN named WHERE one IS NULL) OR NOT coalesce(a.assembled_tokens <= a.budget_tokens, false)
RETURN a.uid AS assembly_uid
LIMIT $limit
