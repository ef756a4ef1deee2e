// List the knowledge documents that are published, newest first.
// scope: tenant · access: read · index: knowledge_document_created_at
// params: tenant_id: str, before: datetime, limit: int
// returns: uid: str, document_id: str, version: int, title: str, source: str | None, privacy_class: str, created_at: datetime (many)
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id})
WHERE d.created_at < $before
WITH d
WHERE d.ended_at IS NULL
RETURN d.uid AS uid, d.document_id AS document_id, d.version AS version, d.title AS title, d.source AS source,
       d.privacy_class AS privacy_class, d.created_at AS created_at
ORDER BY d.tenant_id DESC, d.created_at DESC // the index gives this order: reading stops at the limit
LIMIT $limit
