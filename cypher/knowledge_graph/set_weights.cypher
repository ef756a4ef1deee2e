// Set what edges count at a moment, unless they were strengthened meanwhile or a later moment was set. The first SET takes
// the lock of each edge's start, as everybody does who sets a weight. Each start has its edges in a map by their ids, which
// come from the same transaction.
// scope: tenant · access: write · index: query_uid, response_uid, user_uid, booking_uid
// params: tenant_id: str, starts: list[map], weighed_at: datetime
// returns: edges: int (one)
// eager: a page of starts; edges must be read after the first SET has taken the lock
UNWIND $starts AS start
CALL (start) {
  MATCH (n:Query {uid: start.uid})
  RETURN n
UNION
  MATCH (n:Response {uid: start.uid})
  RETURN n
UNION
  MATCH (n:User {uid: start.uid})
  RETURN n
UNION
  MATCH (n:Booking {uid: start.uid})
  RETURN n
}
WITH start, n
WHERE n.tenant_id = $tenant_id
SET n.tenant_id = $tenant_id
WITH start, n
MATCH (n)-[e:SEARCHED_FOR|ASKED_ABOUT|ANSWERED_BY|CITED|BOOKED|VIEWED]->()
WITH e, start.edges[elementId(e)] AS row
WHERE e.initial_weight = row.initial_weight AND e.strengthened_at = row.strengthened_at
  AND (e.weighed_at IS NULL OR e.weighed_at < $weighed_at)
SET e.weight = row.weight, e.weighed_at = $weighed_at
RETURN count(*) AS edges
