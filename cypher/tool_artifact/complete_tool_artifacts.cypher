// Complete unresolved artifacts of this branch with their results; one that is resolved already is not touched.
// scope: tenant · access: write · index: tool_artifact_call
// params: tenant_id: str, branch_ref: int, results: list[map]
// returns: call_uid: str, uid: str (many)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $results AS row
MATCH (a:ToolArtifact {tenant_id: $tenant_id, call_uid: row.call_uid, branch_ref: $branch_ref})
WHERE a.call_status IN ['pending', 'deferred']
SET a += row.properties
RETURN a.call_uid AS call_uid, a.uid AS uid
