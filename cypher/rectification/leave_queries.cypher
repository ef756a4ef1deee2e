// Take messages out of the questions that others asked in the same words as these once had: they count without them.
// scope: tenant · access: write · index: message_uid
// params: tenant_id: str, messages: list[str]
// returns: (none)
// eager: at most a request's messages
UNWIND $messages AS message_uid
MATCH (m:Message {uid: message_uid})
WHERE m.tenant_id = $tenant_id
MATCH (q:Query)-[r:DERIVED_FROM]->(m)
DELETE r
WITH DISTINCT q
SET q.subject_uids = COLLECT {
  MATCH (q)-[:DERIVED_FROM]->(o:Message)
  UNWIND o.subject_uids AS uid
  RETURN DISTINCT uid
}
WITH q
MATCH (q)-[e:SEARCHED_FOR|ASKED_ABOUT]->()
SET e.initial_weight = toFloat(COUNT { (q)-[:DERIVED_FROM]->(:Message) }), e.weighed_at = null
SET e.weight = e.initial_weight
