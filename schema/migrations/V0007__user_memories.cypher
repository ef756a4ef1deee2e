// User memories: found by the client's id, by the service's, by their place, and by whom and what they are about.

CREATE CONSTRAINT user_memory_key IF NOT EXISTS FOR (n:UserMemory) REQUIRE (n.tenant_id, n.memory_id) IS UNIQUE;
CREATE CONSTRAINT user_memory_uid IF NOT EXISTS FOR (n:UserMemory) REQUIRE n.uid IS UNIQUE;
CREATE INDEX user_memory_place IF NOT EXISTS FOR (n:UserMemory) ON (n.branch_ref, n.seq);
CREATE INDEX user_memory_about IF NOT EXISTS FOR (n:UserMemory) ON (n.user_uid, n.memory_key);
CREATE INDEX user_memory_recorded_at IF NOT EXISTS FOR (n:UserMemory) ON (n.user_uid, n.recorded_at);
