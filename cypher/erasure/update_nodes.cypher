// Give nodes that people were taken out of other properties.
// scope: tenant · access: write · index: message_uid, model_run_uid, tool_call_uid, tool_artifact_uid, tool_memory_uid, user_memory_uid, claim_uid, pin_uid, skill_state_uid, working_memory_uid, continuation_checkpoint_uid, summary_line_uid, query_uid, response_uid, policy_decision_uid, conversation_uid, branch_uid, knowledge_document_uid, knowledge_passage_uid
// params: tenant_id: str, nodes: list[map]
// returns: (none)
// eager: at most a page of nodes; a map may set any property, which the planner must assume
UNWIND $nodes AS row
CALL (row) {
  MATCH (n:Message {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:ModelRun {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:ToolCall {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:ToolArtifact {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:ToolMemory {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:UserMemory {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:Claim {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:Pin {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:SkillState {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:WorkingMemory {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:ContinuationCheckpoint {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:SummaryLine {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:Query {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:Response {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:PolicyDecision {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:Conversation {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:Branch {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:KnowledgeDocument {uid: row.uid})
  RETURN n
UNION ALL
  MATCH (n:KnowledgePassage {uid: row.uid})
  RETURN n
}
WITH n, row
WHERE n.tenant_id = $tenant_id
SET n += row.properties
