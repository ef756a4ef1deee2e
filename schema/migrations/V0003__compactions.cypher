// Compactions, found by the client's id and by where they stand, and the lines of their summaries.

CREATE CONSTRAINT compaction_key IF NOT EXISTS FOR (n:Compaction) REQUIRE (n.tenant_id, n.compaction_id) IS UNIQUE;
CREATE CONSTRAINT compaction_uid IF NOT EXISTS FOR (n:Compaction) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT summary_line_uid IF NOT EXISTS FOR (n:SummaryLine) REQUIRE n.uid IS UNIQUE;
CREATE INDEX compaction_place IF NOT EXISTS FOR (n:Compaction) ON (n.branch_ref, n.seq);
