// Destroy the payloads that redactions stand for; each redaction leads to the event that it gives other words.
// scope: tenant · access: write · index: event_uid, event_place
// params: tenant_id: str, redactions: list[map]
// returns: (none)
// eager: at most a batch of rows
UNWIND $redactions AS row
MATCH (e:Event {uid: row.event_uid})
WHERE e.tenant_id = $tenant_id
MATCH (r:Event {branch_ref: row.branch_ref, seq: row.seq})
SET e.erased_by = row.erased_by
MERGE (r)-[:REDACTS]->(e)
WITH e
MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
DETACH DELETE p
