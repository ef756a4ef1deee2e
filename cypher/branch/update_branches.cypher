// Change what a branch is called, or whether it is closed.
// scope: tenant · access: write · index: branch_ref
// params: tenant_id: str, changes: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $changes AS row
MATCH (b:Branch {branch_ref: row.branch_ref})
WHERE b.tenant_id = $tenant_id
SET b += row.properties
