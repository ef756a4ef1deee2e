// Find the compaction that gives a lineage its view, the newest, with its lines. A sibling's stands in no stretch.
// scope: tenant · access: read · index: tenant_key, compaction_place
// params: tenant_id: str, stretches: list[map]
// returns: uid: str, compaction_id: str, seq: int, until_seq: int, transcript_tokens: int, lines: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
CALL (s) {
  MATCH (c:Compaction)
  WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling AND c.tenant_id = $tenant_id
  RETURN c
  ORDER BY c.branch_ref DESC, c.seq DESC // the index gives this order: reading stops at the first
  LIMIT 1
}
WITH c, hidden
LIMIT 1
RETURN c.uid AS uid, c.compaction_id AS compaction_id, c.seq AS seq, c.until_seq AS until_seq,
       c.transcript_tokens AS transcript_tokens,
       COLLECT {
         MATCH (c)-[:HAS_LINE]->(l:SummaryLine)
         WHERE (hidden IS NULL OR none(who IN l.subject_uids WHERE who IN hidden))
         RETURN l {.uid, .seq, .part, .branch_ref, .line_kind, .text, .tokens, .first_seq, .last_seq, .item_count,
                   .participant_uid, .visibility, .shared_with, .privacy_class, .subject_uids}
       } AS lines
