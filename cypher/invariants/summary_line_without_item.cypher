// Find lines of compactions that stand for nothing, or for what the compaction does not cover.
// scope: tenant · access: read · index: compaction_key
// params: tenant_id: str, limit: int
// returns: compaction_uid: str, line_uid: str (many)
MATCH (c:Compaction)
WHERE c.tenant_id = $tenant_id AND c.compaction_id IS NOT NULL
MATCH (c)-[:HAS_LINE]->(l:SummaryLine)
WHERE NOT 0 < l.first_seq <= l.last_seq <= c.until_seq
  OR NOT EXISTS { (l)-[:FOLDS*0..]->(:SummaryLine)-[:SUMMARISES]->() }
RETURN c.uid AS compaction_uid, l.uid AS line_uid
LIMIT $limit
