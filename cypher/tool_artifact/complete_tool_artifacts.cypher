// Complete unresolved artifacts of this branch with their results; one that is resolved already is not touched.
// scope: tenant · access: write · index: tool_artifact_uid
// params: tenant_id: str, branch_ref: int, results: list[map]
// returns: uid: str (many)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $results AS row
MATCH (a:ToolArtifact {uid: row.uid})
USING INDEX a:ToolArtifact(uid) // else the statistics of a young database lead the planner to the call_status
WHERE a.tenant_id = $tenant_id AND a.branch_ref = $branch_ref AND a.call_status IN ['pending', 'deferred']
SET a += row.properties
RETURN a.uid AS uid
