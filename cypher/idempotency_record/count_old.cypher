// Count idempotency records that are older than a moment, over all tenants.
// scope: system · access: read · index: idempotency_record_created_at
// params: before: datetime
// returns: records: int (one)
MATCH (i:IdempotencyRecord)
WHERE i.created_at < $before
RETURN count(i) AS records
