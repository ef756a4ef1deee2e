// List a tenant's tree heads after a place, by branch and seq.
// scope: tenant · access: read · index: tree_head_log
// params: tenant_id: str, branch_ref: int, seq: int, limit: int
// returns: tree_head: map (many)
MATCH (h:TreeHead)
WHERE h.tenant_id = $tenant_id AND h.branch_ref >= $branch_ref AND h.seq IS NOT NULL
WITH h
WHERE h.branch_ref > $branch_ref OR h.seq > $seq
WITH h
ORDER BY h.branch_ref, h.seq
LIMIT $limit
RETURN properties(h) AS tree_head
