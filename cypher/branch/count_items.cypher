// Count what a conversation's branches hold of their own: messages, calls and results, over at most $limit branches.
// scope: tenant · access: read · index: branch_key
// params: tenant_id: str, conversation_id: str, limit: int
// returns: items: int (one)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id = $conversation_id AND b.branch_id IS NOT NULL
WITH b
LIMIT $limit
RETURN sum(b.transcript_items - b.inherited_items) AS items
