// Read what is learned or documented and others have a part in: a query with the messages of others it was asked by, and the
// passages of a document.
// scope: tenant · access: read · index: query_uid, knowledge_document_uid
// params: tenant_id: str, uids: list[str], people: list[str], whole: list[str]
// returns: uid: str, label: str, kept: map, asked: list[str], passages: list[map] (many)
UNWIND $uids AS uid
CALL (uid) {
  MATCH (n:Query {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:KnowledgeDocument {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
RETURN n.uid AS uid, labels(n)[0] AS label, properties(n) AS kept,
       COLLECT {
         MATCH (n)-[:DERIVED_FROM]->(m:Message)
         WHERE NOT (m.conversation_uid IN $whole OR any(uid IN m.subject_uids WHERE uid IN $people))
         RETURN m.text
         ORDER BY m.recorded_at
         LIMIT 1
       } AS asked,
       COLLECT {
         MATCH (n)-[:HAS_PASSAGE]->(p:KnowledgePassage)
         RETURN p {.uid, .text, .tokens}
         ORDER BY p.part
       } AS passages
