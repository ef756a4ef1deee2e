// Create compactions, each with the earlier lines that it takes over as they are; new lines follow.
// scope: tenant · access: write · index: summary_line_uid
// params: tenant_id: str, compactions: list[map]
// returns: (none)
// eager: at most one compaction; a map may set any property, which the planner must assume
UNWIND $compactions AS row
CREATE (c:Compaction)
SET c = row.properties, c.tenant_id = $tenant_id
WITH c, row
UNWIND row.line_uids AS uid
MATCH (l:SummaryLine {uid: uid})
WHERE l.tenant_id = $tenant_id
CREATE (c)-[:HAS_LINE]->(l)
