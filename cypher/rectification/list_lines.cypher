// List the summary lines that stand for messages and tool memories, themselves or by lines that they fold, oldest first: with what
// each stands for, and where the compactions are that have it.
// scope: tenant · access: read · index: message_uid, tool_memory_uid
// params: tenant_id: str, uids: list[str]
// returns: uid: str, seq: int, part: int, line_kind: str, text: str, first_seq: int, last_seq: int, item_count: int, items: list[map], folds: list[map], places: list[map] (many)
UNWIND $uids AS uid
CALL (uid) {
  MATCH (n:Message {uid: uid})
  RETURN n
UNION
  MATCH (n:ToolMemory {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
MATCH (n)<-[:SUMMARISES]-(:SummaryLine)<-[:FOLDS*0..64]-(l:SummaryLine)
WITH DISTINCT l
WHERE l.tenant_id = $tenant_id
RETURN l.uid AS uid, l.seq AS seq, l.part AS part, l.line_kind AS line_kind, l.text AS text, l.first_seq AS first_seq, l.last_seq AS last_seq,
       l.item_count AS item_count,
       COLLECT {
         MATCH (l)-[:SUMMARISES]->(n)
         RETURN {uid: n.uid, seq: n.seq, text: n.text, headline: n.headline, call_status: n.call_status}
         ORDER BY n.seq
       } AS items,
       COLLECT {
         MATCH (l)-[:FOLDS]->(f:SummaryLine)
         RETURN f {.uid, .text}
         ORDER BY f.first_seq
       } AS folds,
       COLLECT {
         MATCH (l)<-[:HAS_LINE]-(c:Compaction)
         RETURN {branch_ref: c.branch_ref, seq: c.seq}
       } AS places
ORDER BY seq, part
