// Note whose data a conversation holds from now on. The SET takes the lock of a person who is new here: an erasure, which
// takes it before it asks for the person's conversations, sees this one or is seen by its batch.
// scope: tenant · access: write · index: conversation_uid, user_uid
// params: tenant_id: str, conversation_uid: str, user_uids: list[str]
// returns: (none)
// eager: at most a batch of people
MATCH (c:Conversation {uid: $conversation_uid})
WHERE c.tenant_id = $tenant_id
UNWIND $user_uids AS uid
MATCH (u:User {uid: uid})
WHERE NOT EXISTS { (u)-[:SUBJECT_OF]->(c) }
SET u.uid = uid
MERGE (u)-[:SUBJECT_OF]->(c)
