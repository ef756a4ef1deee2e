// Take the lock of an answer's branch: an erasure waits for it before it looks for what came of the answer, and who is not
// hidden when it is taken is not erased before the holder has committed.
// scope: tenant · access: write · index: message_key, branch_ref
// params: tenant_id: str, message_id: str
// returns: (none)
// eager: one row
MATCH (m:Message {tenant_id: $tenant_id, message_id: $message_id})
MATCH (b:Branch {branch_ref: m.branch_ref})
SET b.branch_ref = b.branch_ref
