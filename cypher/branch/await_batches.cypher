// Wait for the batches that are under way on the branches of people's conversations, and for who learns from what is said
// there, by taking each branch's lock.
// scope: tenant · access: write · index: user_uid, branch_key
// params: tenant_id: str, user_uids: list[str]
// returns: branches: int (one)
// eager: the branches are listed before their locks are taken
UNWIND $user_uids AS uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
MATCH (u)-[:SUBJECT_OF]->(c:Conversation)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id = c.conversation_id AND b.branch_id IS NOT NULL
WITH DISTINCT b
ORDER BY b.branch_ref
SET b.branch_ref = b.branch_ref
RETURN count(b) AS branches
