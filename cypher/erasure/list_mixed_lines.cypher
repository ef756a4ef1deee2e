// List the summary lines of stretches of branches that stand for words of people and of others too, with what they
// stand for and is not the people's: messages and memories themselves, and earlier lines.
// scope: tenant · access: read · index: compaction_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str], decided: list[str]
// returns: uid: str, branch_ref: int, seq: int, part: int, recorded_at: datetime, line_kind: str, item_count: int, others: list[str], items: list[map], folds: list[map], left_count: int (many)
UNWIND $stretches AS s
MATCH (c:Compaction)
WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling AND c.tenant_id = $tenant_id
MATCH (c)-[:HAS_LINE]->(l:SummaryLine)
WHERE l.branch_ref = c.branch_ref AND l.seq = c.seq AND any(uid IN l.subject_uids WHERE uid IN $people)
  AND NOT all(uid IN l.subject_uids WHERE uid IN $people)
RETURN l.uid AS uid, l.branch_ref AS branch_ref, l.seq AS seq, l.part AS part, l.recorded_at AS recorded_at, l.line_kind AS line_kind, l.item_count AS item_count,
       [uid IN l.subject_uids WHERE NOT uid IN $people] AS others,
       COLLECT {
         MATCH (l)-[:SUMMARISES]->(n)
         WHERE NOT coalesce(n.participant_uid IN $seats OR n.uid IN $decided, false)
           AND NOT all(uid IN n.subject_uids WHERE uid IN $people)
         RETURN {uid: n.uid, seq: n.seq, text: n.text, headline: n.headline, call_status: n.call_status}
         ORDER BY n.seq, n.uid
       } AS items,
       COLLECT {
         MATCH (l)-[:FOLDS]->(f:SummaryLine)
         RETURN f {.uid, .text, .first_seq, others: [uid IN f.subject_uids WHERE NOT uid IN $people]}
         ORDER BY f.first_seq, f.uid
       } AS folds,
       COUNT {
         MATCH (l)-[:FOLDS*0..]->(:SummaryLine)-[:SUMMARISES]->(n)
         WHERE NOT coalesce(n.participant_uid IN $seats OR n.uid IN $decided, false)
           AND NOT all(uid IN n.subject_uids WHERE uid IN $people)
       } AS left_count
