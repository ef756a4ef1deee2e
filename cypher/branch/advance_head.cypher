// Take the branch's lock by moving its head on, and read what only the holder may rely on. An erasure takes the
// locks of all branches of a person's conversations after it has ended the person: who is not ended here is not ended
// before this batch is committed.
// scope: tenant · access: write · index: branch_ref, user_uid
// params: tenant_id: str, branch_ref: int, count: int, idempotency_key: str, user_uids: list[str]
// returns: head: int, head_hash: str, closed: bool, transcript_tokens: int, transcript_items: int, answered: map | None, ended: list[str] (one)
// eager: one row; the old head is read back after the SET has taken the lock
MATCH (b:Branch {branch_ref: $branch_ref})
WHERE b.tenant_id = $tenant_id
SET b.head = b.head + $count
WITH b
OPTIONAL MATCH (i:IdempotencyRecord {tenant_id: $tenant_id, key: $idempotency_key})
RETURN b.head - $count AS head, b.head_hash AS head_hash, coalesce(b.closed, false) AS closed,
       b.transcript_tokens AS transcript_tokens, b.transcript_items AS transcript_items,
       i {.request_hash, .answer} AS answered,
       COLLECT {
         UNWIND $user_uids AS uid
         MATCH (u:User {uid: uid})
         WHERE u.erased_at IS NOT NULL
         RETURN u.uid
       } AS ended
