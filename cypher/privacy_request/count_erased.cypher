// Look at a page of a branch's events: count those that a request erased, and those of them that another event gave other
// words.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, branch_ref: int, after: int, limit: int, erased_by: str
// returns: seen: int, last: int | None, events: int, redacted: int (one)
MATCH (e:Event)
WHERE e.branch_ref = $branch_ref AND e.seq > $after AND e.tenant_id = $tenant_id
WITH e
ORDER BY e.seq
LIMIT $limit
WITH e, coalesce(e.erased_by = $erased_by, false) AS erased
RETURN
  count(e) AS seen,
  max(e.seq) AS last,
  count(CASE WHEN erased THEN 1 END) AS events,
  count(CASE WHEN erased AND EXISTS { (:Event)-[:REDACTS]->(e) } THEN 1 END) AS redacted
