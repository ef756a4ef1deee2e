// Make an answer a learning candidate, once, with its question where there is one; its class is the newest one while
// nobody has decided on it.
// scope: tenant · access: write · index: message_uid, learning_candidate_answer
// params: tenant_id: str, candidate: map, question_uid: str | None
// returns: uid: str (one)
// eager: one row; a map may set any property, which the planner must assume
MATCH (m:Message {uid: $candidate.message_uid})
WHERE m.tenant_id = $tenant_id
MERGE (k:LearningCandidate {message_uid: m.uid})
ON CREATE SET k += $candidate, k.tenant_id = $tenant_id
ON MATCH SET k.failure_class = CASE WHEN k.state IN ['approved', 'rejected'] THEN k.failure_class ELSE $candidate.failure_class END
MERGE (k)-[:CONCERNS]->(m)
WITH k
CALL (k) {
  MATCH (q:Message {uid: $question_uid})
  WHERE q.tenant_id = $tenant_id
  MERGE (k)-[:CONCERNS]->(q)
}
RETURN k.uid AS uid
