// Find merges that no event of the branch has made, or whose stretches the branch does not store.
// scope: tenant · access: read · index: branch_key, event_place
// params: tenant_id: str, limit: int
// returns: branch_uid: str, seq: int (many)
MATCH (b:Branch)
USING INDEX b:Branch(tenant_id, conversation_id, branch_id)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
MATCH (b)-[m:MERGES]->(:Branch)
OPTIONAL MATCH (e:Event {branch_ref: b.branch_ref, seq: m.seq})
USING INDEX e:Event(branch_ref, seq)
WITH b, m, e
WHERE e IS NULL OR e.kind <> 'merge' OR NOT m.seq IN coalesce(b.merges, [])
RETURN b.uid AS branch_uid, m.seq AS seq
LIMIT $limit
