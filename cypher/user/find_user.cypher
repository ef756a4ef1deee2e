// Find a data subject by the client's id, and whether a conversation is that person's.
// scope: tenant · access: read · index: tenant_key, user_key, conversation_key
// params: tenant_id: str, user_id: str, conversation_id: str | None
// returns: uid: str, owns: bool (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (u:User {tenant_id: $tenant_id, user_id: $user_id})
WHERE hidden IS NULL OR NOT u.uid IN hidden
OPTIONAL MATCH (c:Conversation {tenant_id: $tenant_id, conversation_id: $conversation_id})
RETURN u.uid AS uid, coalesce(c.user_uid = u.uid, false) AS owns
