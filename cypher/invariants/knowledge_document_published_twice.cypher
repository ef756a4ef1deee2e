// Find versions of knowledge documents that did not end when the next one was published.
// scope: tenant · access: read · index: knowledge_document_created_at
// params: tenant_id: str, limit: int
// returns: document_uid: str (many)
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id})
USING INDEX d:KnowledgeDocument(tenant_id, created_at) // where few replace another, the planner would scan these
WHERE d.created_at IS NOT NULL
MATCH (n:KnowledgeDocument)-[:REPLACES]->(d)
WHERE d.ended_at IS NULL OR d.ended_at > n.created_at
RETURN d.uid AS document_uid
LIMIT $limit
