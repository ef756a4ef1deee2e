// List edges of a page of bookings whose weight is older than a moment, by their starts; one row for a start without any.
// scope: tenant · access: read · index: booking_key
// params: tenant_id: str, after: str, weighed_at: datetime, limit: int
// returns: key: str, uid: str, edge_id: str | None, initial_weight: float | None, strengthened_at: datetime | None (many)
MATCH (n:Booking)
WHERE n.tenant_id = $tenant_id AND n.booking_id > $after
WITH n
ORDER BY n.tenant_id, n.booking_id
LIMIT $limit
OPTIONAL MATCH (n)-[e:BOOKED]->()
WHERE e.weighed_at IS NULL OR e.weighed_at < $weighed_at
RETURN n.booking_id AS key, n.uid AS uid, elementId(e) AS edge_id, e.initial_weight AS initial_weight, e.strengthened_at AS strengthened_at
ORDER BY key
