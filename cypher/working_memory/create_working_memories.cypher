// Create versions of working memories.
// scope: tenant · access: write · index: none (creates)
// params: tenant_id: str, working_memories: list[map]
// returns: (none)
UNWIND $working_memories AS row
CREATE (w:WorkingMemory)
SET w = row, w.tenant_id = $tenant_id
