// Find branches whose head hash is not that of the event at their head.
// scope: tenant · access: read · index: branch_key, event_place
// params: tenant_id: str, limit: int
// returns: branch_uid: str (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
WITH b, CASE WHEN b.head = b.base THEN last(b.lineage) ELSE b.branch_ref END AS head_ref
WHERE b.head > 0
OPTIONAL MATCH (e:Event {branch_ref: head_ref, seq: b.head})
WITH b, e
WHERE e IS NULL OR e.hash <> b.head_hash
RETURN b.uid AS branch_uid
LIMIT $limit
