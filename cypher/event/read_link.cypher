// Read what a fork's first event continues: the hash and the running totals at the cut-off.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, branch_ref: int, seq: int
// returns: hash: str, transcript_tokens: int, transcript_items: int (one)
MATCH (e:Event {branch_ref: $branch_ref, seq: $seq})
WHERE e.tenant_id = $tenant_id
RETURN e.hash AS hash, e.transcript_tokens AS transcript_tokens, e.transcript_items AS transcript_items
