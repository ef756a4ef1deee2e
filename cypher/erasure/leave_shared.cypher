// Take people out of what is learned or documented and others have a part in: their names, their sources, and how much these
// counted. Without `erase` only say what is touched.
// scope: tenant · access: write · index: query_uid, knowledge_document_uid
// params: tenant_id: str, people: list[str], seats: list[str], decided: list[str], whole: list[str], uids: list[str], erase: bool
// returns: uid: str, label: str, edges: list[map] (many)
// eager: at most a page of nodes
UNWIND $uids AS uid
CALL (uid) {
  MATCH (n:Query {uid: uid})
  RETURN n
UNION ALL
  MATCH (n:KnowledgeDocument {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
WITH n,
     COLLECT {
       MATCH (n)-[r:DERIVED_FROM]->(m:Message)
       WHERE m.conversation_uid IN $whole OR any(uid IN m.subject_uids WHERE uid IN $people)
         AND (all(uid IN m.subject_uids WHERE uid IN $people) OR m.participant_uid IN $seats OR m.uid IN $decided)
       RETURN r
     } AS links
FOREACH (r IN CASE WHEN $erase THEN links ELSE [] END | DELETE r)
FOREACH (one IN CASE WHEN $erase THEN [n] ELSE [] END | SET one.subject_uids = [u IN one.subject_uids WHERE NOT u IN $people])
WITH n, [r IN links | {type: type(r), ids: [id(r)]}] AS edges
CALL (n) {
  MATCH (n)-[e:SEARCHED_FOR|ASKED_ABOUT]->()
  WHERE $erase
  SET e.initial_weight = toFloat(COUNT { (n)-[:DERIVED_FROM]->(:Message) }), e.weighed_at = null
  SET e.weight = e.initial_weight
}
RETURN n.uid AS uid, labels(n)[0] AS label, edges
