// Find a data subject by the client's id, and whether a conversation is that person's.
// scope: tenant · access: read · index: user_key, conversation_key
// params: tenant_id: str, user_id: str, conversation_id: str | None
// returns: uid: str, owns: bool (one)
MATCH (u:User {tenant_id: $tenant_id, user_id: $user_id})
OPTIONAL MATCH (c:Conversation {tenant_id: $tenant_id, conversation_id: $conversation_id})
RETURN u.uid AS uid, coalesce(c.user_uid = u.uid, false) AS owns
