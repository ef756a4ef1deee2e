// Delete some idempotency records that are older than a moment, over all tenants.
// scope: system · access: write · index: idempotency_record_created_at
// params: before: datetime, limit: int
// returns: deleted: int (one)
// eager: at most the limit's rows
MATCH (i:IdempotencyRecord)
WHERE i.created_at < $before
WITH i
LIMIT $limit
DELETE i
RETURN count(*) AS deleted
