// The desired range indexes beside those of the constraints. Migrations must reach exactly these; a test compares.
// Neo4j uses a composite index only where the query has a predicate on every property of it (IS NOT NULL counts).

CREATE INDEX message_place FOR (n:Message) ON (n.branch_ref, n.seq);
CREATE INDEX model_run_place FOR (n:ModelRun) ON (n.branch_ref, n.seq);
CREATE INDEX tool_call_place FOR (n:ToolCall) ON (n.branch_ref, n.seq);
CREATE INDEX tool_memory_place FOR (n:ToolMemory) ON (n.branch_ref, n.seq);
CREATE INDEX tool_artifact_result_place FOR (n:ToolArtifact) ON (n.branch_ref, n.result_seq);
CREATE INDEX tool_artifact_call_place FOR (n:ToolArtifact) ON (n.branch_ref, n.call_seq);
CREATE INDEX tool_artifact_call_status FOR (n:ToolArtifact) ON (n.branch_ref, n.call_status);
CREATE INDEX user_memory_place FOR (n:UserMemory) ON (n.branch_ref, n.seq);
CREATE INDEX user_memory_about FOR (n:UserMemory) ON (n.user_uid, n.memory_key);
CREATE INDEX user_memory_recorded_at FOR (n:UserMemory) ON (n.user_uid, n.recorded_at);
CREATE INDEX claim_place FOR (n:Claim) ON (n.branch_ref, n.seq);
CREATE INDEX learning_candidate_created_at FOR (n:LearningCandidate) ON (n.tenant_id, n.created_at);
CREATE INDEX review_decision_decided_at FOR (n:ReviewDecision) ON (n.tenant_id, n.decided_at);
CREATE INDEX knowledge_document_created_at FOR (n:KnowledgeDocument) ON (n.tenant_id, n.created_at);
CREATE INDEX pin_place FOR (n:Pin) ON (n.branch_ref, n.seq);
CREATE INDEX skill_state_place FOR (n:SkillState) ON (n.branch_ref, n.seq);
CREATE INDEX continuation_checkpoint_place FOR (n:ContinuationCheckpoint) ON (n.branch_ref, n.seq);
CREATE INDEX compaction_place FOR (n:Compaction) ON (n.branch_ref, n.seq);
CREATE INDEX policy_decision_place FOR (n:PolicyDecision) ON (n.branch_ref, n.seq);
CREATE INDEX message_wide FOR (n:Message) ON (n.conversation_uid, n.wide);
CREATE INDEX tool_memory_wide FOR (n:ToolMemory) ON (n.conversation_uid, n.wide);
CREATE INDEX model_run_recorded_at FOR (n:ModelRun) ON (n.tenant_id, n.recorded_at);
CREATE INDEX message_queued_at FOR (n:Message) ON (n.tenant_id, n.queued_at);
CREATE INDEX query_asked_at FOR (n:Query) ON (n.tenant_id, n.asked_at);
CREATE INDEX response_recorded_at FOR (n:Response) ON (n.tenant_id, n.recorded_at);
CREATE INDEX insight_valid_until FOR (n:Insight) ON (n.tenant_id, n.valid_until);
CREATE INDEX context_assembly_created_at FOR (n:ContextAssembly) ON (n.tenant_id, n.created_at);
CREATE INDEX idempotency_record_created_at FOR (n:IdempotencyRecord) ON (n.created_at);
CREATE INDEX branch_log FOR (n:Branch) ON (n.tenant_id, n.uid);
CREATE INDEX tree_head_log FOR (n:TreeHead) ON (n.tenant_id, n.branch_ref, n.seq);
CREATE INDEX privacy_request_due_at FOR (n:PrivacyRequest) ON (n.tenant_id, n.due_at);
CREATE INDEX notice_created_at FOR (n:Notice) ON (n.tenant_id, n.created_at);
CREATE INDEX context_assembly_place FOR (n:ContextAssembly) ON (n.branch_ref, n.created_at);
CREATE INDEX idempotency_record_place FOR (n:IdempotencyRecord) ON (n.branch_ref);
CREATE INDEX event_erased_by FOR (n:Event) ON (n.branch_ref, n.erased_by);
