// Signed tree heads: one for a branch and seq. They are found by branch, newest first; a tenant's branches and
// heads are also read through in order.

CREATE CONSTRAINT tree_head_place IF NOT EXISTS FOR (n:TreeHead) REQUIRE (n.branch_ref, n.seq) IS UNIQUE;
CREATE INDEX branch_log IF NOT EXISTS FOR (n:Branch) ON (n.tenant_id, n.uid);
CREATE INDEX tree_head_log IF NOT EXISTS FOR (n:TreeHead) ON (n.tenant_id, n.branch_ref, n.seq);
