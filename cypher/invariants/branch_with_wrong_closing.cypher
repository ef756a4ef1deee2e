// Find branches that are closed and whose newest event did not close them, or the other way round.
// scope: tenant · access: read · index: branch_key, event_place
// params: tenant_id: str, limit: int
// returns: branch_uid: str (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
OPTIONAL MATCH (e:Event {branch_ref: b.branch_ref, seq: b.head})
WITH b, e
WHERE coalesce(b.closed, false) <> coalesce(e.kind = 'close', false)
RETURN b.uid AS branch_uid
LIMIT $limit
