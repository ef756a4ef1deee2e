// List the knowledge documents that are published, newest first.
// scope: tenant · access: read · index: tenant_key, knowledge_document_created_at
// params: tenant_id: str, before: datetime, limit: int
// returns: uid: str, document_id: str, version: int, title: str, source: str | None, privacy_class: str, created_at: datetime (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id})
WHERE d.created_at < $before
WITH d, hidden
WHERE d.ended_at IS NULL AND (hidden IS NULL OR none(who IN d.subject_uids WHERE who IN hidden))
RETURN d.uid AS uid, d.document_id AS document_id, d.version AS version, d.title AS title, d.source AS source,
       d.privacy_class AS privacy_class, d.created_at AS created_at
ORDER BY d.tenant_id DESC, d.created_at DESC // the index gives this order: reading stops at the limit
LIMIT $limit
