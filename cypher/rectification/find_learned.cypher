// Find what was made of messages in their old words and stands by these alone: judgements, what reviewers look at, questions and
// answers, documents and insights; with the answers that are to be learned from again.
// scope: tenant · access: read · index: message_uid
// params: tenant_id: str, messages: list[str]
// returns: label: str, uid: str, answers: list[str] (many)
UNWIND $messages AS message_uid
MATCH (m:Message {uid: message_uid})
WHERE m.tenant_id = $tenant_id
CALL (m) {
  MATCH (n:Judgement)-[:JUDGES]->(m)
  RETURN n, [] AS answers
UNION
  MATCH (n:LearningCandidate)-[:CONCERNS]->(m)
  RETURN n, [] AS answers
UNION
  MATCH (n:Query)-[:DERIVED_FROM]->(m)
  WHERE NOT EXISTS {
    MATCH (n)-[:DERIVED_FROM]->(o:Message)
    WHERE NOT o.uid IN $messages
  }
  RETURN n, [] AS answers
UNION
  MATCH (n:Response)-[:DERIVED_FROM]->(m)
  RETURN n, [m.uid] AS answers
UNION
  MATCH (m)<-[:DERIVED_FROM]-(:Query)-[:ANSWERED_BY]->(n:Response)-[:DERIVED_FROM]->(a:Message)
  WHERE a.conversation_uid = m.conversation_uid
  RETURN n, [a.uid] AS answers
UNION
  MATCH (n:KnowledgeDocument)-[:DERIVED_FROM]->(m)
  RETURN n, [] AS answers
UNION
  MATCH (m)<-[:CONCERNS]-(:LearningCandidate)<-[:DERIVED_FROM]-(n:KnowledgeDocument)
  RETURN n, [] AS answers
UNION
  MATCH (m)<-[:DERIVED_FROM]-(:Query)<-[:DERIVED_FROM]-(n:Insight)
  RETURN n, [] AS answers
UNION
  MATCH (m)<-[:DERIVED_FROM]-(:Query)-[:SEARCHED_FOR]->(:Product)<-[:DERIVED_FROM]-(n:Insight)
  RETURN n, [] AS answers
}
WITH n, answers
WHERE n.tenant_id = $tenant_id
RETURN DISTINCT labels(n)[0] AS label, n.uid AS uid, answers AS answers
