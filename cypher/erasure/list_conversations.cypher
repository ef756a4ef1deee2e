// List the conversations that hold data of people, by uid: their branches and seats, and whether they hold that of others.
// scope: tenant · access: read · index: user_uid, branch_key, participant_key
// params: tenant_id: str, people: list[str], after: str, limit: int
// returns: uid: str, conversation_id: str | None, title: str | None, user_uid: str | None, others: list[str], branches: list[map], seats: list[map] (many)
UNWIND $people AS person
MATCH (u:User {uid: person})-[:SUBJECT_OF]->(c:Conversation)
USING INDEX u:User(uid)
WHERE c.tenant_id = $tenant_id AND c.uid > $after
WITH DISTINCT c
ORDER BY c.uid
LIMIT $limit
RETURN c.uid AS uid, c.conversation_id AS conversation_id, c.title AS title, c.user_uid AS user_uid,
       COLLECT {
         MATCH (o:User)-[:SUBJECT_OF]->(c)
         WHERE NOT o.uid IN $people
         RETURN o.uid
         LIMIT 100
       } AS others,
       COLLECT {
         MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: c.conversation_id})
         USING INDEX b:Branch(tenant_id, conversation_id, branch_id)
         WHERE b.branch_id IS NOT NULL
         RETURN b {.uid, .branch_ref, .branch_id, .title, .base, .head}
         ORDER BY b.branch_ref
       } AS branches,
       COLLECT {
         MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: c.conversation_id})
         USING INDEX p:Participant(tenant_id, conversation_id, participant_id)
         WHERE p.participant_id IS NOT NULL
         RETURN p {.uid, .participant_id, .participant_kind, .display_name, .user_uid}
         ORDER BY p.uid
       } AS seats
ORDER BY uid
