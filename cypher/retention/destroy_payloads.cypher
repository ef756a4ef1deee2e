// Destroy the payloads of events with their salts; the envelopes stay and name what destroyed them.
// scope: tenant · access: write · index: event_uid
// params: tenant_id: str, event_uids: list[str], erased_by: str
// returns: events: int (one)
// eager: at most one stretch's events
UNWIND $event_uids AS uid
MATCH (e:Event {uid: uid})
WHERE e.tenant_id = $tenant_id
MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
SET e.erased_by = $erased_by
DETACH DELETE p
RETURN count(e) AS events
