// Create forked branches, each with the edge to the branch it names as parent, which may be one of them.
// scope: tenant · access: write · index: branch_ref, conversation_uid
// params: tenant_id: str, branches: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $branches AS row
CREATE (b:Branch)
SET b = row.properties
WITH b, row
MATCH (parent:Branch {branch_ref: row.parent_ref})
WHERE parent.tenant_id = $tenant_id
CREATE (b)-[:INHERITS {cutoff: row.base}]->(parent)
WITH row
MATCH (c:Conversation {uid: row.properties.conversation_uid})
SET c.forked = true
