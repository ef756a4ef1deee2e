// List answers of a tenant that wait to be learned from, longest first, without those that a run has passed over.
// scope: tenant · access: read · index: message_queued_at
// params: tenant_id: str, passed_uids: list[str], limit: int
// returns: uid: str (many)
MATCH (m:Message)
WHERE m.tenant_id = $tenant_id AND m.queued_at IS NOT NULL
WITH m
WHERE NOT m.uid IN $passed_uids
RETURN m.uid AS uid
ORDER BY m.queued_at
LIMIT $limit
