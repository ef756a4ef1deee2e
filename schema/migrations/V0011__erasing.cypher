// What an erasure walks by its place.

CREATE INDEX policy_decision_branch IF NOT EXISTS FOR (n:PolicyDecision) ON (n.branch_ref);
CREATE INDEX working_memory_place IF NOT EXISTS FOR (n:WorkingMemory) ON (n.branch_ref, n.seq);
