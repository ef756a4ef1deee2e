// Find a summary line.
// scope: tenant · access: read · index: tenant_key, summary_line_uid
// params: tenant_id: str, uid: str
// returns: line: map (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (l:SummaryLine {uid: $uid})
WHERE l.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN l.subject_uids WHERE who IN hidden))
RETURN properties(l) AS line
