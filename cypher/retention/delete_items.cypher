// Delete items and assembly records with their edges, and what is of no use without them: judgements of a message, policies'
// decisions of an assembly.
// scope: tenant · access: write · index: message_uid, model_run_uid, tool_call_uid, tool_artifact_uid, tool_memory_uid, user_memory_uid, claim_uid, pin_uid, skill_state_uid, working_memory_uid, continuation_checkpoint_uid, context_assembly_uid
// params: tenant_id: str, named: map
// returns: deleted: int (one)
// eager: at most one stretch's items; all are found before the first is deleted
CALL () {
  UNWIND $named.Message AS uid
  MATCH (n:Message {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.ModelRun AS uid
  MATCH (n:ModelRun {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.ToolCall AS uid
  MATCH (n:ToolCall {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.ToolArtifact AS uid
  MATCH (n:ToolArtifact {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.ToolMemory AS uid
  MATCH (n:ToolMemory {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.UserMemory AS uid
  MATCH (n:UserMemory {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.Claim AS uid
  MATCH (n:Claim {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.Pin AS uid
  MATCH (n:Pin {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.SkillState AS uid
  MATCH (n:SkillState {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.WorkingMemory AS uid
  MATCH (n:WorkingMemory {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.ContinuationCheckpoint AS uid
  MATCH (n:ContinuationCheckpoint {uid: uid})
  RETURN n
UNION ALL
  UNWIND $named.ContextAssembly AS uid
  MATCH (n:ContextAssembly {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
CALL (n) {
  RETURN n AS one
UNION
  MATCH (n)<-[:JUDGES]-(one:Judgement)
  RETURN one
UNION
  MATCH (n:ContextAssembly)-[:DECIDED_BY]->(one:PolicyDecision)
  RETURN one
}
WITH collect(DISTINCT one) AS found
FOREACH (n IN found | DETACH DELETE n)
RETURN size(found) AS deleted
