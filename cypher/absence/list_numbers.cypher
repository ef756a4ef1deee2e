// List the nodes in a stretch of the database's own node numbers; where a tenant is named, that one's and those of none.
// What is of people `without` and of nobody else stays away: nodes with an erased label, and payloads of such events.
// scope: system · access: read · index: none (nodes by their numbers)
// params: first: int, last: int, tenant_id: str | None, without: list[str], erased: list[str]
// returns: seen: int, numbers: list[int] (one)
UNWIND range($first, $last) AS number
MATCH (n)
WHERE id(n) = number
WITH number, n, CASE WHEN size($without) = 0 THEN []
  WHEN n:Payload THEN coalesce([(n)<-[:HAS_PAYLOAD]-(e) | e.subject_uids][0], [])
  WHEN any(label IN labels(n) WHERE label IN $erased) THEN coalesce(n.subject_uids, [])
  ELSE [] END AS people
WITH number, ($tenant_id IS NULL OR n.tenant_id IS NULL OR n.tenant_id = $tenant_id)
  AND (size(people) = 0 OR any(uid IN people WHERE NOT uid IN $without)) AS chosen
RETURN count(*) AS seen, collect(CASE WHEN chosen THEN number END) AS numbers
