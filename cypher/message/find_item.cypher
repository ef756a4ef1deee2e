// Find what an id names: a message, a summary line, a tool or user memory, a tool call, an artifact or a knowledge passage, by the service's or the client's id.
// A user memory of another conversation is found where it is of the same person, and no branch's own. A call's id names its memories too, on every branch that answered it: those of the lineage come first.
// scope: tenant · access: read · index: tenant_key, message_uid, message_key, summary_line_uid, tool_memory_uid, user_memory_uid, user_memory_key, tool_call_uid, tool_call_key, tool_artifact_uid, knowledge_passage_uid
// params: tenant_id: str, conversation_uid: str, known_user_uid: str | None, stretches: list[map], id: str
// returns: uid: str, kind: str, branch_ref: int | None, seq: int, participant_uid: str | None, visibility: str, privacy_class: str, shared_with: list[str], run_uid: str | None, freshness: str | None, recorded_at: datetime | None (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
CALL () {
  MATCH (n:Message {uid: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:Message {tenant_id: $tenant_id, message_id: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:SummaryLine {uid: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:ToolMemory {uid: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:UserMemory {uid: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:UserMemory {tenant_id: $tenant_id, memory_id: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:ToolCall {uid: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (n:ToolCall {tenant_id: $tenant_id, call_id: $id})
  RETURN n, n.seq AS seq
UNION
  MATCH (:ToolCall {tenant_id: $tenant_id, call_id: $id})-[:RESULTED_IN]->(:ToolArtifact)<-[:DERIVED_FROM]-(n:ToolMemory)
  RETURN n, n.seq AS seq
UNION
  MATCH (m:ToolMemory)-[:DERIVED_FROM]->(:ToolArtifact {uid: $id})
  RETURN m AS n, m.seq AS seq
UNION
  MATCH (n:KnowledgePassage {uid: $id})
  RETURN n, 0 AS seq
}
WITH n, seq, hidden
WHERE n.tenant_id = $tenant_id AND (n:KnowledgePassage OR n.conversation_uid = $conversation_uid OR n.user_uid = $known_user_uid AND n.visibility <> 'branch')
OPTIONAL MATCH (d:KnowledgeDocument)-[:HAS_PASSAGE]->(n)
WITH n, d, seq, hidden, any(s IN $stretches WHERE s.branch_ref = n.branch_ref AND s.floor < seq AND seq <= s.ceiling) AS inherited
WHERE hidden IS NULL OR none(who IN coalesce(n.subject_uids, d.subject_uids, []) WHERE who IN hidden)
RETURN n.uid AS uid, labels(n)[0] AS kind, n.branch_ref AS branch_ref, seq, n.participant_uid AS participant_uid,
       CASE WHEN d IS NULL THEN n.visibility ELSE 'conversation' END AS visibility,
       coalesce(n.privacy_class, d.privacy_class) AS privacy_class, coalesce(n.shared_with, []) AS shared_with, n.run_uid AS run_uid,
       n.freshness AS freshness, n.recorded_at AS recorded_at
ORDER BY inherited DESC, seq DESC
LIMIT 16
