// Open the newest version of a knowledge document for the next one; what it says stays where it is.
// scope: tenant · access: read · index: knowledge_document_version
// params: tenant_id: str, document_id: str
// returns: version: int, content_hash: str, created_at: datetime, ended_at: datetime | None (one)
MATCH (n:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id})
WHERE n.version > 0
WITH max(n.version) AS newest
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id, version: newest})
RETURN d.version AS version, d.content_hash AS content_hash, d.created_at AS created_at, d.ended_at AS ended_at
