// List the summary lines that compactions in stretches of branches took over from earlier ones as they were, with what they tell now.
// scope: tenant · access: read · index: compaction_place
// params: tenant_id: str, stretches: list[map]
// returns: uid: str, text: str (many)
UNWIND $stretches AS s
MATCH (c:Compaction)
WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling AND c.tenant_id = $tenant_id
MATCH (c)-[:HAS_LINE]->(l:SummaryLine)
WHERE l.branch_ref <> c.branch_ref OR l.seq <> c.seq
RETURN DISTINCT l.uid AS uid, l.text AS text
