// Find events that do not name their predecessor's hash: in the branch, or across the fork in what it inherits.
// scope: tenant · access: read · index: branch_key, event_place
// params: tenant_id: str, limit: int
// returns: branch_uid: str, seq: int (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
MATCH (e:Event)
WHERE e.branch_ref = b.branch_ref AND e.seq > 1
WITH b, e, CASE WHEN e.seq = b.base + 1 THEN last(b.lineage) ELSE b.branch_ref END AS before_ref
OPTIONAL MATCH (before:Event {branch_ref: before_ref, seq: e.seq - 1})
WITH b, e, before
WHERE before IS NULL OR before.hash <> e.previous_hash
RETURN b.uid AS branch_uid, e.seq AS seq
LIMIT $limit
