// Read a learning candidate with question, answer, judgement, decisions and the document that was made of it.
// scope: tenant · access: read · index: learning_candidate_uid, judgement_answer, message_uid, context_assembly_uid, knowledge_document_version, tenant_key
// params: tenant_id: str, candidate_id: str
// returns: candidate: map, messages: list[map], judgement: map | None, factors: str | None, decisions: list[map], documents: list[map], active_version: int (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t, t.hidden_uids AS hidden
MATCH (k:LearningCandidate {uid: $candidate_id})
WHERE k.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN k.subject_uids WHERE who IN hidden))
OPTIONAL MATCH (j:Judgement {message_uid: k.message_uid})
OPTIONAL MATCH (r:ModelRun)-[:PRODUCED]->(:Message {uid: k.message_uid})
OPTIONAL MATCH (a:ContextAssembly {uid: r.assembly_id})
WHERE a.tenant_id = $tenant_id
RETURN k {.uid, .state, .version, .failure_class, .assignee, .created_at} AS candidate,
       COLLECT {
         MATCH (k)-[:CONCERNS]->(m:Message)
         WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
         RETURN m {.uid, .message_id, .role, .text, .visibility, .privacy_class, .subject_uids}
       } AS messages,
       j {.composite, .factors, .feedback, .threshold, .configuration_number, .judged_at} AS judgement, a.factors AS factors,
       COLLECT {
         MATCH (k)-[:DECIDED_BY]->(d:ReviewDecision)
         RETURN d {.action, .reviewer, .assignee, .reason, .edits, .version, .request_hash, .decided_at}
         ORDER BY d.version
       } AS decisions,
       COLLECT {
         MATCH (d:KnowledgeDocument {tenant_id: $tenant_id, document_id: k.uid})
         WHERE d.version > 0
         RETURN d {.document_id, .version, published: d.ended_at IS NULL}
         ORDER BY d.version DESC
         LIMIT 1
       } AS documents,
       coalesce(t.active_version, 0) AS active_version
