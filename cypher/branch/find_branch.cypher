// Find what a branch is called by its number.
// scope: tenant · access: read · index: branch_ref
// params: tenant_id: str, branch_ref: int
// returns: branch_id: str (one)
MATCH (b:Branch {branch_ref: $branch_ref})
WHERE b.tenant_id = $tenant_id
RETURN b.branch_id AS branch_id
