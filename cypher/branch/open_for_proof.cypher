// Open a branch for proofs about its log.
// scope: tenant · access: read · index: branch_key
// params: tenant_id: str, conversation_id: str, branch_id: str
// returns: branch_ref: int, lineage: list[int], cutoffs: list[int], head: int (one)
MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: $conversation_id, branch_id: $branch_id})
RETURN b.branch_ref AS branch_ref, b.lineage AS lineage, b.cutoffs AS cutoffs, b.head AS head
