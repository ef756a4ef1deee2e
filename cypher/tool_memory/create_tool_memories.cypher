// Create tool memories, each derived from its artifact.
// scope: tenant · access: write · index: tool_artifact_uid
// params: tenant_id: str, memories: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $memories AS row
MATCH (a:ToolArtifact {uid: row.artifact_uid})
WHERE a.tenant_id = $tenant_id
CREATE (m:ToolMemory)-[:DERIVED_FROM]->(a)
SET m = row, m.tenant_id = $tenant_id
