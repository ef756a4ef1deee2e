// Find the newest tree head of a branch within bounds.
// scope: tenant · access: read · index: tree_head_place
// params: tenant_id: str, branch_ref: int, seq_min: int, seq_max: int
// returns: tree_head: map (one)
MATCH (h:TreeHead)
WHERE h.branch_ref = $branch_ref AND h.seq >= $seq_min AND h.seq <= $seq_max
WITH h
ORDER BY h.branch_ref DESC, h.seq DESC
LIMIT 1
WITH h
WHERE h.tenant_id = $tenant_id
RETURN properties(h) AS tree_head
