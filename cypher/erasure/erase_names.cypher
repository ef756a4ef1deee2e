// Take from a conversation what names people: in one of their own the client's ids and titles of all, in one that others
// have a part in their seats and that it is theirs. Nothing says any more that it holds data of them.
// scope: tenant · access: write · index: tenant_key, branch_key, participant_key
// params: tenant_id: str, conversation_uid: str, conversation_id: str, people: list[str], whole: bool, erase: bool
// returns: names: int, edges: list[map] (one)
// eager: one conversation's branches and seats
MATCH (t:Tenant {tenant_id: $tenant_id})
MATCH (c:Conversation {tenant_id: $tenant_id, conversation_id: $conversation_id})
WHERE c.uid = $conversation_uid
WITH c,
     COLLECT {
       MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: $conversation_id})
       WHERE b.branch_id IS NOT NULL AND $whole
       RETURN b
     } AS branches,
     COLLECT {
       MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: $conversation_id})
       WHERE p.participant_id IS NOT NULL AND ($whole OR p.user_uid IN $people)
       RETURN p
     } AS seats,
     COLLECT {
       MATCH (u:User)-[r:SUBJECT_OF]->(c)
       WHERE u.uid IN $people
       RETURN r
     } AS links
WITH c, branches, seats, links, size(branches) + size(seats) + 1 AS names,
     [r IN links | {type: type(r), ids: [id(r)]}] AS edges
FOREACH (b IN CASE WHEN $erase THEN branches ELSE [] END | REMOVE b.branch_id, b.conversation_id, b.title)
FOREACH (p IN CASE WHEN $erase THEN seats ELSE [] END | REMOVE p.participant_id, p.conversation_id, p.display_name, p.user_uid, p.agent)
FOREACH (one IN CASE WHEN $erase AND $whole THEN [c] ELSE [] END | REMOVE one.conversation_id, one.title, one.user_uid)
FOREACH (one IN CASE WHEN $erase AND NOT $whole AND c.user_uid IN $people THEN [c] ELSE [] END | REMOVE one.title)
FOREACH (r IN CASE WHEN $erase THEN links ELSE [] END | DELETE r)
RETURN names, edges
