// List the answers to batches of a branch that are kept for a repetition.
// scope: tenant · access: read · index: idempotency_record_place
// params: tenant_id: str, branch_ref: int, limit: int
// returns: key: str, answer: str (many)
MATCH (i:IdempotencyRecord)
WHERE i.branch_ref = $branch_ref AND i.tenant_id = $tenant_id
RETURN i.key AS key, i.answer AS answer
LIMIT $limit
