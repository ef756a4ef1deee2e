// Find compactions that no event of that kind at their place has made, or that cover what comes after themselves.
// scope: tenant · access: read · index: compaction_key, event_place
// params: tenant_id: str, limit: int
// returns: compaction_uid: str (many)
MATCH (c:Compaction)
WHERE c.tenant_id = $tenant_id AND c.compaction_id IS NOT NULL
OPTIONAL MATCH (e:Event {branch_ref: c.branch_ref, seq: c.seq})
WITH c, e
WHERE e IS NULL OR e.kind <> 'compaction' OR NOT c.after_seq < c.until_seq < c.seq
RETURN c.uid AS compaction_uid
LIMIT $limit
