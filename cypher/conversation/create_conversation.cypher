// Create a conversation and its branch `main`.
// scope: tenant · access: write · index: none (creates)
// params: tenant_id: str, conversation: map, branch: map
// returns: (none)
CREATE (c:Conversation)
SET c = $conversation, c.tenant_id = $tenant_id
CREATE (b:Branch)
SET b = $branch, b.tenant_id = $tenant_id
