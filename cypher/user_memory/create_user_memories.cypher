// Create user memories, each about its person.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, user_memories: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $user_memories AS row
CREATE (m:UserMemory)
SET m = row, m.tenant_id = $tenant_id
WITH m
MATCH (u:User {uid: m.user_uid})
WHERE u.tenant_id = $tenant_id
CREATE (m)-[:ABOUT]->(u)
