// List the summary lines that compactions in stretches of branches have, their own and those of earlier ones that they took over,
// with what they tell now.
// scope: tenant · access: read · index: compaction_place
// params: tenant_id: str, stretches: list[map]
// returns: uid: str, branch_ref: int, seq: int, part: int, text: str (many)
UNWIND $stretches AS s
MATCH (c:Compaction)
WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling AND c.tenant_id = $tenant_id
MATCH (c)-[:HAS_LINE]->(l:SummaryLine)
RETURN DISTINCT l.uid AS uid, l.branch_ref AS branch_ref, l.seq AS seq, l.part AS part, l.text AS text
