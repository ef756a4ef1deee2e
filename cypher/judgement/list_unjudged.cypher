// List answers of completed runs that were given a context in a span of time and are not judged yet, oldest first.
// scope: tenant · access: read · index: tenant_key, context_assembly_created_at, judgement_answer
// params: tenant_id: str, since: datetime, until: datetime, limit: int
// returns: message_id: str, active_version: int (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
MATCH (a:ContextAssembly {tenant_id: $tenant_id})
WHERE a.created_at >= $since AND a.created_at < $until
MATCH (r:ModelRun {run_status: 'completed'})-[:USED]->(a)
MATCH (r)-[:PRODUCED]->(m:Message {role: 'assistant'})
WHERE (t.hidden_uids IS NULL OR none(who IN m.subject_uids WHERE who IN t.hidden_uids))
  AND NOT EXISTS { MATCH (:Judgement {message_uid: m.uid}) }
RETURN m.message_id AS message_id, coalesce(t.active_version, 0) AS active_version
ORDER BY a.created_at
LIMIT $limit
