// Find where a compaction stands, by the client's id.
// scope: tenant · access: read · index: compaction_key, event_place
// params: tenant_id: str, compaction_id: str
// returns: branch_ref: int, seq: int, event_uid: str (one)
MATCH (c:Compaction {tenant_id: $tenant_id, compaction_id: $compaction_id})
MATCH (e:Event {branch_ref: c.branch_ref, seq: c.seq})
RETURN c.branch_ref AS branch_ref, c.seq AS seq, e.uid AS event_uid
