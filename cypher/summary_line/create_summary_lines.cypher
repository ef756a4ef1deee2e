// Create the lines of compactions, each with the way to what it stands for.
// scope: tenant · access: write · index: compaction_uid, message_uid, tool_memory_uid, summary_line_uid
// params: tenant_id: str, summary_lines: list[map]
// returns: (none)
// eager: at most one compaction's lines; a map may set any property, which the planner must assume
UNWIND $summary_lines AS row
MATCH (c:Compaction {uid: row.compaction_uid})
WHERE c.tenant_id = $tenant_id
CREATE (c)-[:HAS_LINE]->(l:SummaryLine)
SET l = row.properties, l.tenant_id = $tenant_id
WITH l, row
CALL (l, row) {
  UNWIND row.item_uids AS uid
  MATCH (m:Message {uid: uid})
  WHERE m.tenant_id = $tenant_id
  CREATE (l)-[:SUMMARISES]->(m)
}
CALL (l, row) {
  UNWIND row.item_uids AS uid
  MATCH (t:ToolMemory {uid: uid})
  WHERE t.tenant_id = $tenant_id
  CREATE (l)-[:SUMMARISES]->(t)
}
CALL (l, row) {
  UNWIND row.line_uids AS uid
  MATCH (earlier:SummaryLine {uid: uid})
  WHERE earlier.tenant_id = $tenant_id
  CREATE (l)-[:FOLDS]->(earlier)
}
