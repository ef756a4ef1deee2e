// Find tool memories that are derived from no artifact.
// scope: tenant · access: read · index: branch_key, tool_memory_place
// params: tenant_id: str, limit: int
// returns: memory_uid: str (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
MATCH (m:ToolMemory)
WHERE m.branch_ref = b.branch_ref AND m.seq > 0 AND NOT EXISTS { (m)-[:DERIVED_FROM]->(:ToolArtifact) }
RETURN m.uid AS memory_uid
LIMIT $limit
