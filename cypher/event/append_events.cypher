// Append events with their payloads, remember the answer for a retry, and move the branch's chain on.
// scope: tenant · access: write · index: branch_ref
// params: tenant_id: str, branch_ref: int, head_hash: str, transcript_tokens: int, transcript_items: int, idempotency: map, events: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
MATCH (b:Branch {branch_ref: $branch_ref})
WHERE b.tenant_id = $tenant_id
SET b.head_hash = $head_hash, b.transcript_tokens = $transcript_tokens, b.transcript_items = $transcript_items
CREATE (i:IdempotencyRecord)
SET i = $idempotency, i.tenant_id = $tenant_id, i.branch_ref = $branch_ref
WITH b
UNWIND $events AS row
CREATE (e:Event)-[:HAS_PAYLOAD]->(p:Payload)
SET e = row.envelope, p = row.payload
