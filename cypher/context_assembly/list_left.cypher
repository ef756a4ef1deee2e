// List which of some items that contexts had, or left out, are still there.
// scope: tenant · access: read · index: message_uid, tool_call_uid, tool_memory_uid, summary_line_uid, user_memory_uid, pin_uid, working_memory_uid, skill_state_uid, continuation_checkpoint_uid, policy_decision_uid, knowledge_passage_uid, insight_uid, product_uid, document_uid, booking_uid, competitor_price_uid
// params: tenant_id: str, uids: list[str]
// returns: uid: str (many)
UNWIND $uids AS uid
CALL (uid) {
  MATCH (n:Message {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:ToolCall {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:ToolMemory {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:SummaryLine {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:UserMemory {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:Pin {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:WorkingMemory {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:SkillState {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:ContinuationCheckpoint {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:PolicyDecision {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:KnowledgePassage {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:Insight {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:Product {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:Document {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:Booking {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:CompetitorPrice {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
RETURN n.uid AS uid
