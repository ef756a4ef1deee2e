// List what names people and stands in no conversation: bookings, and documents that were kept with their names.
// scope: tenant · access: read · index: booking_key, knowledge_document_created_at
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
}
RETURN labels(n)[0] AS label, n.uid AS uid, others, size(others) AS kept_sources
SKIP $passed
LIMIT $limit
