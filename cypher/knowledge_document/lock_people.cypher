// Take the locks of the people whose data a document may hold, in the order in which erasures take them: who is not hidden then
// is not erased before the holder has committed.
// scope: tenant · access: write · index: knowledge_document_version, user_uid
// params: tenant_id: str, document_id: str
// returns: (none)
// eager: one document's people, who are listed before their locks are taken
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id})
WHERE d.version > 0
UNWIND d.subject_uids AS uid
WITH DISTINCT uid
ORDER BY uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
SET u.tenant_id = $tenant_id
