// List a tenant's branches after a uid, each with its conversation, whose that is, and the people it holds data of.
// scope: tenant · access: read · index: branch_log, conversation_uid
// params: tenant_id: str, after: str, limit: int
// returns: uid: str, branch_ref: int, head: int, depth: int, conversation_uid: str, people: list[str] (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.uid > $after
WITH b
ORDER BY b.uid
LIMIT $limit
MATCH (c:Conversation {uid: b.conversation_uid})
RETURN b.uid AS uid, b.branch_ref AS branch_ref, b.head AS head, size(b.lineage) AS depth, b.conversation_uid AS conversation_uid,
       [who IN [c.user_uid] WHERE who IS NOT NULL] AS people
ORDER BY uid
