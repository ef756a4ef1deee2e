// End the version of a knowledge document that is published: no context has it from then on.
// scope: tenant · access: write · index: knowledge_document_version
// params: tenant_id: str, document_id: str, version: int, ended_at: datetime
// returns: (none)
// eager: one row
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id, version: $version})
SET d.ended_at = coalesce(d.ended_at, $ended_at)
