// Note whether the source of an artifact's memories could be read: a vain attempt is counted, a good one starts anew.
// scope: tenant · access: write · index: tool_artifact_uid
// params: tenant_id: str, artifact_uid: str, resolved: bool
// returns: repair_attempts: int (many)
// eager: at most a few memories of one artifact; what is counted up is read before it is set
MATCH (a:ToolArtifact {uid: $artifact_uid})
WHERE a.tenant_id = $tenant_id
MATCH (m:ToolMemory)-[:DERIVED_FROM]->(a)
SET m.repair_attempts = CASE WHEN $resolved THEN 0 ELSE coalesce(m.repair_attempts, 0) + 1 END,
    m.resolution_status = CASE WHEN $resolved THEN 'resolved' ELSE 'unreadable' END
RETURN m.repair_attempts AS repair_attempts
LIMIT 10
