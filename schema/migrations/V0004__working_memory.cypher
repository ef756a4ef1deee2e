// Working memory: on each branch a participant's versions are counted without repetition, whoever writes at once.
// A checkpoint is taken up by one run on each branch.

CREATE CONSTRAINT working_memory_uid IF NOT EXISTS FOR (n:WorkingMemory) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT working_memory_version IF NOT EXISTS FOR (n:WorkingMemory) REQUIRE (n.branch_ref, n.participant_uid, n.version) IS UNIQUE;
CREATE CONSTRAINT model_run_checkpoint IF NOT EXISTS FOR (n:ModelRun) REQUIRE (n.checkpoint_uid, n.branch_ref) IS UNIQUE;
