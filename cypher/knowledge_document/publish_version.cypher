// Publish a version of a knowledge document with its passages; the one before it ends. What it was made of is connected.
// scope: tenant · access: write · index: knowledge_document_version, learning_candidate_uid
// params: tenant_id: str, document: map, passages: list[map], candidate_uid: str | None
// returns: (none)
// eager: one document with its passages; a map may set any property, which the planner must assume
CREATE (d:KnowledgeDocument)
SET d = $document, d.tenant_id = $tenant_id
FOREACH (row IN $passages |
  CREATE (d)-[:HAS_PASSAGE]->(p:KnowledgePassage)
  SET p = row, p.tenant_id = $tenant_id
)
WITH d
CALL (d) {
  MATCH (o:KnowledgeDocument {tenant_id: $tenant_id, document_id: d.document_id, version: d.version - 1})
  SET o.ended_at = coalesce(o.ended_at, d.created_at)
  CREATE (d)-[:REPLACES]->(o)
}
CALL (d) {
  MATCH (k:LearningCandidate {uid: $candidate_uid})
  WHERE k.tenant_id = $tenant_id
  CREATE (d)-[:DERIVED_FROM]->(k)
  WITH d, k
  MATCH (k)-[:CONCERNS]->(m:Message)
  CREATE (d)-[:DERIVED_FROM]->(m)
}
