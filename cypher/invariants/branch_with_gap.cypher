// Find branches whose events are not exactly those from after the fork to the head. Repeats cannot be stored.
// scope: tenant · access: read · index: branch_key, event_place
// params: tenant_id: str, limit: int
// returns: branch_uid: str, expected: int, found: int (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
CALL (b) {
  OPTIONAL MATCH (e:Event)
  WHERE e.branch_ref = b.branch_ref AND e.seq > 0
  RETURN count(e) AS found, min(e.seq) AS first, max(e.seq) AS last
}
WITH b, found, coalesce(first, b.base + 1) AS first, coalesce(last, b.base) AS last
WHERE found <> b.head - b.base OR first <> b.base + 1 OR last <> b.head
RETURN b.uid AS branch_uid, b.head - b.base AS expected, found
LIMIT $limit
