// The desired constraints. Migrations must reach exactly these; a test compares.
// Community edition has UNIQUE constraints only. A constraint's index bears its name, so query headers name it.

CREATE CONSTRAINT tenant_key FOR (n:Tenant) REQUIRE n.tenant_id IS UNIQUE;
CREATE CONSTRAINT tenant_name FOR (n:Tenant) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT tenant_configuration_key FOR (n:TenantConfiguration) REQUIRE (n.tenant_id, n.version) IS UNIQUE;
CREATE CONSTRAINT api_key_hash FOR (n:ApiKey) REQUIRE n.key_hash IS UNIQUE;
CREATE CONSTRAINT api_key_uid FOR (n:ApiKey) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT user_key FOR (n:User) REQUIRE (n.tenant_id, n.user_id) IS UNIQUE;
CREATE CONSTRAINT user_uid FOR (n:User) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT conversation_key FOR (n:Conversation) REQUIRE (n.tenant_id, n.conversation_id) IS UNIQUE;
CREATE CONSTRAINT conversation_uid FOR (n:Conversation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT branch_key FOR (n:Branch) REQUIRE (n.tenant_id, n.conversation_id, n.branch_id) IS UNIQUE;
CREATE CONSTRAINT branch_ref FOR (n:Branch) REQUIRE n.branch_ref IS UNIQUE;
CREATE CONSTRAINT branch_uid FOR (n:Branch) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT participant_key FOR (n:Participant) REQUIRE (n.tenant_id, n.conversation_id, n.participant_id) IS UNIQUE;
CREATE CONSTRAINT participant_uid FOR (n:Participant) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT message_key FOR (n:Message) REQUIRE (n.tenant_id, n.message_id) IS UNIQUE;
CREATE CONSTRAINT message_uid FOR (n:Message) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT model_run_key FOR (n:ModelRun) REQUIRE (n.tenant_id, n.run_id) IS UNIQUE;
CREATE CONSTRAINT model_run_uid FOR (n:ModelRun) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT tool_call_key FOR (n:ToolCall) REQUIRE (n.tenant_id, n.call_id) IS UNIQUE;
CREATE CONSTRAINT tool_call_uid FOR (n:ToolCall) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT tool_artifact_call FOR (n:ToolArtifact) REQUIRE (n.tenant_id, n.call_uid, n.branch_ref) IS UNIQUE;
CREATE CONSTRAINT tool_artifact_uid FOR (n:ToolArtifact) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT tool_memory_uid FOR (n:ToolMemory) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT pin_key FOR (n:Pin) REQUIRE (n.tenant_id, n.pin_id) IS UNIQUE;
CREATE CONSTRAINT pin_uid FOR (n:Pin) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT skill_state_uid FOR (n:SkillState) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT continuation_checkpoint_key FOR (n:ContinuationCheckpoint) REQUIRE (n.tenant_id, n.checkpoint_id) IS UNIQUE;
CREATE CONSTRAINT continuation_checkpoint_uid FOR (n:ContinuationCheckpoint) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT context_assembly_uid FOR (n:ContextAssembly) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT policy_decision_uid FOR (n:PolicyDecision) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT event_place FOR (n:Event) REQUIRE (n.branch_ref, n.seq) IS UNIQUE;
CREATE CONSTRAINT event_uid FOR (n:Event) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT payload_event FOR (n:Payload) REQUIRE n.event_uid IS UNIQUE;
CREATE CONSTRAINT idempotency_record_key FOR (n:IdempotencyRecord) REQUIRE (n.tenant_id, n.key) IS UNIQUE;
CREATE CONSTRAINT migration_version FOR (n:Migration) REQUIRE n.version IS UNIQUE;
CREATE CONSTRAINT migration_lock_name FOR (n:MigrationLock) REQUIRE n.name IS UNIQUE;
