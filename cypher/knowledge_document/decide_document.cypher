// Write a reviewer's decision on a version of a knowledge document.
// scope: tenant · access: write · index: knowledge_document_version
// params: tenant_id: str, document_id: str, version: int, decision: map
// returns: (none)
// eager: one row; a map may set any property, which the planner must assume
MATCH (d:KnowledgeDocument {tenant_id: $tenant_id, document_id: $document_id, version: $version})
CREATE (d)-[:DECIDED_BY]->(r:ReviewDecision)
SET r = $decision, r.tenant_id = $tenant_id
