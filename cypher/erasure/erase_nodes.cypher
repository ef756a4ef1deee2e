// Erase nodes by their uids, with what is theirs alone: passages, decisions of reviewers, and names of nothing else. Without `erase` only say
// what would go.
// scope: tenant · access: write · index: judgement_uid, learning_candidate_uid, query_uid, response_uid, knowledge_document_uid, insight_uid, booking_uid
// params: tenant_id: str, named: map, erase: bool
// returns: labels: list[str], edges: list[map] (one)
// eager: at most a page of nodes
CALL () {
  UNWIND $named.Judgement AS uid
  MATCH (n:Judgement {uid: uid})
  RETURN n
UNION
  UNWIND $named.LearningCandidate AS uid
  MATCH (n:LearningCandidate {uid: uid})
  RETURN n
UNION
  UNWIND $named.Query AS uid
  MATCH (n:Query {uid: uid})
  RETURN n
UNION
  UNWIND $named.Response AS uid
  MATCH (n:Response {uid: uid})
  RETURN n
UNION
  UNWIND $named.KnowledgeDocument AS uid
  MATCH (n:KnowledgeDocument {uid: uid})
  RETURN n
UNION
  UNWIND $named.Insight AS uid
  MATCH (n:Insight {uid: uid})
  RETURN n
UNION
  UNWIND $named.Booking AS uid
  MATCH (n:Booking {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
WITH collect(DISTINCT n) AS page
UNWIND page AS n
CALL (n, page) {
  RETURN n AS one
UNION
  MATCH (n)-[:HAS_PASSAGE]->(one:KnowledgePassage)
  RETURN one
UNION
  MATCH (n)-[:DECIDED_BY]->(one:ReviewDecision)
  RETURN one
UNION
  MATCH (one:EntityName)-[:NAMES]->(n)
  WHERE NOT EXISTS {
    MATCH (one)-[:NAMES]->(other)
    WHERE NOT other IN page
  }
  RETURN one
}
WITH collect(DISTINCT one) AS found
WITH found, [n IN found | labels(n)[0]] AS labels,
     COLLECT {
       UNWIND found AS n
       MATCH (n)-[r]-()
       WITH DISTINCT r
       WITH type(r) AS type, collect(id(r)) AS ids
       RETURN {type: type, ids: ids}
     } AS edges
FOREACH (n IN CASE WHEN $erase THEN found ELSE [] END | DETACH DELETE n)
RETURN labels, edges
