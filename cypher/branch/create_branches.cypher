// Create forked branches with the edge to the branch they name as parent.
// scope: tenant · access: write · index: branch_ref, conversation_uid
// params: tenant_id: str, branches: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $branches AS row
MATCH (parent:Branch {branch_ref: row.parent_ref})
WHERE parent.tenant_id = $tenant_id
MATCH (c:Conversation {uid: row.properties.conversation_uid})
SET c.forked = true
CREATE (b:Branch)-[:INHERITS {cutoff: row.base}]->(parent)
SET b = row.properties
