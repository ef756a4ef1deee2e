// List what names people and stands in no conversation: bookings, documents that were kept with their names, and what was
// learned from messages of theirs that are gone; with what else each rests on, people or messages.
// scope: tenant · access: read · index: booking_key, knowledge_document_created_at, query_asked_at, response_recorded_at, learning_candidate_created_at
// params: tenant_id: str, people: list[str], passed: int, limit: int
// returns: label: str, uid: str, others: list[str], kept_sources: int (many)
CALL () {
  MATCH (n:Booking)
  WHERE n.tenant_id = $tenant_id AND n.booking_id IS NOT NULL
  WITH n
  WHERE n.user_uid IN $people
  RETURN n, [] AS others
UNION ALL
  MATCH (n:KnowledgeDocument)
  USING INDEX n:KnowledgeDocument(tenant_id, created_at)
  WHERE n.tenant_id = $tenant_id AND n.created_at IS NOT NULL
  WITH n
  WHERE any(uid IN n.subject_uids WHERE uid IN $people)
  RETURN n, [uid IN n.subject_uids WHERE NOT uid IN $people] AS others
UNION ALL
  MATCH (q:Query)
  USING INDEX q:Query(tenant_id, asked_at)
  WHERE q.tenant_id = $tenant_id AND q.asked_at IS NOT NULL
  WITH q
  WHERE any(uid IN q.subject_uids WHERE uid IN $people) AND NOT EXISTS {
    MATCH (q)-[:DERIVED_FROM]->(m:Message)
    WHERE any(uid IN m.subject_uids WHERE uid IN $people)
  }
  CALL (q) {
    RETURN q AS n, COLLECT { MATCH (q)-[:DERIVED_FROM]->(m:Message) RETURN m.uid } AS others
  UNION
    MATCH (q)<-[:DERIVED_FROM]-(n:Insight)
    RETURN n, [] AS others
  UNION
    MATCH (q)-[:SEARCHED_FOR]->(:Product)<-[:DERIVED_FROM]-(n:Insight)
    RETURN n, [] AS others
  }
  RETURN n, others
UNION ALL
  MATCH (n:Response)
  USING INDEX n:Response(tenant_id, recorded_at)
  WHERE n.tenant_id = $tenant_id AND n.recorded_at IS NOT NULL
  WITH n
  WHERE any(uid IN n.subject_uids WHERE uid IN $people) AND NOT EXISTS { (n)-[:DERIVED_FROM]->(:Message) }
  RETURN n, [] AS others
UNION ALL
  MATCH (n:LearningCandidate)
  USING INDEX n:LearningCandidate(tenant_id, created_at)
  WHERE n.tenant_id = $tenant_id AND n.created_at IS NOT NULL
  WITH n
  WHERE any(uid IN n.subject_uids WHERE uid IN $people) AND NOT EXISTS {
    MATCH (n)-[:CONCERNS]->(m:Message)
    WHERE any(uid IN m.subject_uids WHERE uid IN $people)
  }
  RETURN n, [] AS others
}
RETURN labels(n)[0] AS label, n.uid AS uid, others, size(others) AS kept_sources
SKIP $passed
LIMIT $limit
