// Whose data a conversation holds, and the branch of each answer to a batch, for what was recorded before.

MATCH (n:IdempotencyRecord) WHERE n.branch_ref IS NULL SET n.branch_ref = toInteger(split(split(n.answer, '"branch_ref": ')[1], ',')[0]);
MATCH (c:Conversation) MATCH (u:User {uid: c.user_uid}) MERGE (u)-[:SUBJECT_OF]->(c);
MATCH (p:Participant) WHERE p.user_uid IS NOT NULL MATCH (c:Conversation {uid: p.conversation_uid}) MATCH (u:User {uid: p.user_uid}) MERGE (u)-[:SUBJECT_OF]->(c);
MATCH (e:Event) UNWIND e.subject_uids AS uid WITH DISTINCT e.branch_ref AS ref, uid MATCH (b:Branch {branch_ref: ref}) MATCH (c:Conversation {uid: b.conversation_uid}) MATCH (u:User {uid: uid}) MERGE (u)-[:SUBJECT_OF]->(c);
