// Create pins, each on its message where it names one.
// scope: tenant · access: write · index: message_uid
// params: tenant_id: str, pins: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $pins AS row
CREATE (p:Pin)
SET p = row, p.tenant_id = $tenant_id
WITH p
WHERE p.message_uid IS NOT NULL
MATCH (m:Message {uid: p.message_uid})
CREATE (p)-[:PINS]->(m)
