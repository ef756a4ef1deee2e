// Learn a question and its answer: the query once for its wording, the response once for its message, and what both name.
// A query's edges count how often it was asked.
// scope: tenant · access: write · index: query_key, message_uid, response_key, product_uid, document_uid, booking_uid, competitor_price_uid, tool_call_place
// params: tenant_id: str, question: map, answer: map, named: map
// returns: query_uid: str, response_uid: str (one)
// eager: one row; the edges of what is named follow, at most a few hundred
MERGE (q:Query {tenant_id: $tenant_id, text_sha256: $question.text_sha256})
ON CREATE SET q.uid = $question.query_uid, q.text = $question.text, q.privacy_class = $question.privacy_class,
              q.subject_uids = [], q.recorded_at = $answer.recorded_at, q.asked_at = $answer.recorded_at
SET q.asked_at = CASE WHEN q.asked_at < $answer.recorded_at THEN $answer.recorded_at ELSE q.asked_at END
SET q.subject_uids = q.subject_uids + [uid IN $question.subject_uids WHERE NOT uid IN q.subject_uids]
WITH q
MATCH (asked:Message {uid: $question.message_uid})
WHERE asked.tenant_id = $tenant_id
MATCH (said:Message {uid: $answer.message_uid})
WHERE said.tenant_id = $tenant_id
MERGE (r:Response {tenant_id: $tenant_id, message_uid: $answer.message_uid})
ON CREATE SET r.uid = $answer.response_uid, r.conversation_uid = $answer.conversation_uid, r.text = $answer.text,
              r.privacy_class = $answer.privacy_class, r.subject_uids = $answer.subject_uids,
              r.recorded_at = $answer.recorded_at
MERGE (q)-[:DERIVED_FROM]->(asked)
MERGE (r)-[:DERIVED_FROM]->(said)
MERGE (q)-[a:ANSWERED_BY]->(r)
ON CREATE SET a.recorded_at = $answer.recorded_at
SET a.initial_weight = $answer.weight, a.weight = $answer.weight, a.strengthened_at = $answer.recorded_at, a.weighed_at = null
WITH q, r, said, asked, toFloat(COUNT { (q)-[:DERIVED_FROM]->(:Message) }) AS times
CALL (q, times) {
  UNWIND $named.product_uids AS uid
  MATCH (n:Product {uid: uid})
  WHERE n.tenant_id = $tenant_id
  MERGE (q)-[e:SEARCHED_FOR]->(n)
  ON CREATE SET e.recorded_at = $answer.recorded_at
  SET e.initial_weight = times, e.weight = times, e.strengthened_at = $answer.recorded_at, e.weighed_at = null
}
CALL (q, times) {
  UNWIND $named.other_uids AS uid
  CALL (uid) {
    MATCH (n:Document {uid: uid})
    RETURN n
  UNION
    MATCH (n:Booking {uid: uid})
    RETURN n
  UNION
    MATCH (n:CompetitorPrice {uid: uid})
    RETURN n
  }
  WITH q, times, n
  WHERE n.tenant_id = $tenant_id
  MERGE (q)-[e:ASKED_ABOUT]->(n)
  ON CREATE SET e.recorded_at = $answer.recorded_at
  SET e.initial_weight = times, e.weight = times, e.strengthened_at = $answer.recorded_at, e.weighed_at = null
}
CALL (r) {
  UNWIND $named.cited_uids AS uid
  MATCH (n:Document {uid: uid})
  WHERE n.tenant_id = $tenant_id
  MERGE (r)-[e:CITED]->(n)
  ON CREATE SET e.recorded_at = $answer.recorded_at, e.initial_weight = 1.0, e.weight = 1.0,
                e.strengthened_at = $answer.recorded_at
}
CALL (r, said) {
  MATCH (c:ToolCall)
  WHERE c.branch_ref = said.branch_ref AND c.seq > $question.seq AND c.seq < said.seq
    AND c.participant_uid = said.participant_uid AND c.tenant_id = $tenant_id
  MERGE (r)-[:USED_TOOL]->(c)
}
RETURN q.uid AS query_uid, r.uid AS response_uid
