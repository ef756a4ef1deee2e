// User memories: found by the client's id, by the service's, by their place, and by whom and what they are about.
// Costs: a decision about a turn is found by what it was taken on, and runs by when they were recorded.

CREATE CONSTRAINT user_memory_key IF NOT EXISTS FOR (n:UserMemory) REQUIRE (n.tenant_id, n.memory_id) IS UNIQUE;
CREATE CONSTRAINT user_memory_uid IF NOT EXISTS FOR (n:UserMemory) REQUIRE n.uid IS UNIQUE;
CREATE INDEX user_memory_place IF NOT EXISTS FOR (n:UserMemory) ON (n.branch_ref, n.seq);
CREATE INDEX user_memory_about IF NOT EXISTS FOR (n:UserMemory) ON (n.user_uid, n.memory_key);
CREATE INDEX user_memory_recorded_at IF NOT EXISTS FOR (n:UserMemory) ON (n.user_uid, n.recorded_at);
CREATE CONSTRAINT policy_decision_key IF NOT EXISTS FOR (n:PolicyDecision) REQUIRE (n.tenant_id, n.decision_key) IS UNIQUE;
CREATE INDEX model_run_recorded_at IF NOT EXISTS FOR (n:ModelRun) ON (n.tenant_id, n.recorded_at);
