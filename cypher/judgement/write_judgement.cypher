// Write what an answer was judged to be, in place of what it was before.
// scope: tenant · access: write · index: message_uid, judgement_answer
// params: tenant_id: str, uid: str, judgement: map
// returns: (none)
// eager: one row; a map may set any property, which the planner must assume
MATCH (m:Message {uid: $judgement.message_uid})
WHERE m.tenant_id = $tenant_id
MERGE (j:Judgement {message_uid: m.uid})
ON CREATE SET j.uid = $uid, j.tenant_id = $tenant_id
SET j += $judgement
MERGE (j)-[:JUDGES]->(m)
