// List answers of a tenant that wait to be learned from, longest first, without those that a run has passed over.
// scope: tenant · access: read · index: tenant_key, message_queued_at
// params: tenant_id: str, passed_uids: list[str], limit: int
// returns: uid: str (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (m:Message)
WHERE m.tenant_id = $tenant_id AND m.queued_at IS NOT NULL
WITH m, hidden
WHERE NOT m.uid IN $passed_uids AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
RETURN m.uid AS uid
ORDER BY m.queued_at
LIMIT $limit
