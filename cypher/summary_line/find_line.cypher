// Find a summary line.
// scope: tenant · access: read · index: summary_line_uid
// params: tenant_id: str, uid: str
// returns: line: map (one)
MATCH (l:SummaryLine {uid: $uid})
WHERE l.tenant_id = $tenant_id
RETURN properties(l) AS line
