// Read a version of a knowledge document, the newest where none is named, with its passages, its decisions, and where it
// comes from.
// scope: tenant · access: read · index: tenant_key, knowledge_document_version
// params: tenant_id: str, document_id: str, version: int | None
// returns: uid: str, version: int, newest: int, title: str, source: str | None, privacy_class: str, subject_uids: list[str], content_hash: str, created_at: datetime, ended_at: datetime | None, passages: list[map], decisions: list[map], candidates: list[str], messages: list[str] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (n:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id})
WHERE n.version > 0
WITH hidden, max(n.version) AS newest
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id, version: coalesce($version, newest)})
WHERE (hidden IS NULL OR none(who IN d.subject_uids WHERE who IN hidden))
RETURN d.uid AS uid, d.version AS version, newest, d.title AS title, d.source AS source,
       d.privacy_class AS privacy_class, d.subject_uids AS subject_uids, d.content_hash AS content_hash,
       d.created_at AS created_at, d.ended_at AS ended_at,
       COLLECT { MATCH (d)-[:HAS_PASSAGE]->(p:KnowledgePassage) RETURN p {.uid, .text, .tokens} ORDER BY p.part } AS passages,
       COLLECT {
         MATCH (d)-[:DECIDED_BY]->(r:ReviewDecision)
         RETURN r {.action, .reviewer, .reason, .decided_at}
         ORDER BY r.decided_at
       } AS decisions,
       COLLECT { MATCH (d)-[:DERIVED_FROM]->(k:LearningCandidate) RETURN k.uid } AS candidates,
       COLLECT { MATCH (d)-[:DERIVED_FROM]->(m:Message) WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) RETURN m.message_id } AS messages
