// List compactions of stretches of a lineage, oldest first, with who made them and their lines.
// Narrows by lineage only; policies/visibility.py and policies/attribution.py decide on the lines.
// scope: tenant · access: read · index: tenant_key, compaction_place
// params: tenant_id: str, stretches: list[map], limit: int
// returns: uid: str, compaction_id: str, branch_ref: int, seq: int, after_seq: int, until_seq: int, summariser: str, policy_version: str, recorded_at: datetime, participant_id: str | None, lines: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
MATCH (c:Compaction)
WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling AND c.tenant_id = $tenant_id
WITH c, hidden
ORDER BY c.seq
LIMIT $limit
OPTIONAL MATCH (p:Participant {uid: c.participant_uid})
RETURN c.uid AS uid, c.compaction_id AS compaction_id, c.branch_ref AS branch_ref, c.seq AS seq,
       c.after_seq AS after_seq, c.until_seq AS until_seq, c.summariser AS summariser,
       c.policy_version AS policy_version, c.recorded_at AS recorded_at, p.participant_id AS participant_id,
       COLLECT {
         MATCH (c)-[:HAS_LINE]->(l:SummaryLine)
         WHERE (hidden IS NULL OR none(who IN l.subject_uids WHERE who IN hidden))
         RETURN properties(l)
       } AS lines
ORDER BY seq
