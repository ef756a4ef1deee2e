// Find tool memories that supersede themselves, directly or through others.
// scope: tenant · access: read · index: branch_key, tool_memory_place
// params: tenant_id: str, limit: int
// returns: memory_uid: str (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
MATCH (m:ToolMemory)
WHERE m.branch_ref = b.branch_ref AND m.seq > 0
WITH m
WHERE EXISTS { (m)-[:SUPERSEDES*1..64]->(m) }
RETURN m.uid AS memory_uid
LIMIT $limit
