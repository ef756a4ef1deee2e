// Find what was made from the messages of people in stretches of branches: what reviewers look at, what was learned, what
// documents and insights came of it; with how many messages of others each of them rests on.
// scope: tenant · access: read · index: message_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str], decided: list[str], whole: list[str]
// returns: label: str, uid: str, others: list[str], kept_sources: int (many)
// eager: at most one stretch's messages
UNWIND $stretches AS s
MATCH (m:Message)
WHERE m.branch_ref = s.branch_ref AND m.seq > s.floor AND m.seq <= s.ceiling
WITH s, m
WHERE m.tenant_id = $tenant_id
  AND CASE WHEN size(m.subject_uids) = 0 THEN s.whole
      ELSE any(uid IN m.subject_uids WHERE uid IN $people)
        AND (s.whole OR all(uid IN m.subject_uids WHERE uid IN $people) OR m.participant_uid IN $seats OR m.uid IN $decided) END
CALL (m) {
  MATCH (n:Judgement)-[:JUDGES]->(m)
  RETURN n
UNION
  MATCH (n:LearningCandidate)-[:CONCERNS]->(m)
  RETURN n
UNION
  MATCH (n:Query|Response|KnowledgeDocument)-[:DERIVED_FROM]->(m)
  RETURN n
UNION
  MATCH (m)<-[:DERIVED_FROM]-(:Response)<-[:ANSWERED_BY]-(n:Query)
  RETURN n
UNION
  MATCH (m)<-[:CONCERNS]-(:LearningCandidate)<-[:DERIVED_FROM]-(n:KnowledgeDocument)
  RETURN n
UNION
  MATCH (m)<-[:DERIVED_FROM]-(:Query)<-[:DERIVED_FROM]-(n:Insight)
  RETURN n
UNION
  MATCH (m)<-[:DERIVED_FROM]-(:Query)-[:SEARCHED_FOR]->(:Product)<-[:DERIVED_FROM]-(n:Insight)
  RETURN n
}
WITH DISTINCT n
WHERE n.tenant_id = $tenant_id
RETURN labels(n)[0] AS label, n.uid AS uid, [uid IN coalesce(n.subject_uids, []) WHERE NOT uid IN $people] AS others,
       CASE WHEN n:KnowledgeDocument THEN 0 // of a question and its answer, which stand together
       WHEN n:Query AND NOT EXISTS { // every answer to it goes: it would look like one that never had any
         MATCH (n)-[:ANSWERED_BY]->(:Response)-[:DERIVED_FROM]->(a:Message)
         WHERE NOT (a.conversation_uid IN $whole OR any(uid IN a.subject_uids WHERE uid IN $people)
                    AND (all(uid IN a.subject_uids WHERE uid IN $people) OR a.participant_uid IN $seats OR a.uid IN $decided))
       } THEN 0
       ELSE COUNT {
         MATCH (n)-[:DERIVED_FROM]->(o:Message)
         WHERE NOT (o.conversation_uid IN $whole OR any(uid IN o.subject_uids WHERE uid IN $people)
                    AND (all(uid IN o.subject_uids WHERE uid IN $people) OR o.participant_uid IN $seats OR o.uid IN $decided))
       } END AS kept_sources
