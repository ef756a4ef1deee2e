// Create participants of one conversation.
// scope: tenant · access: write · index: none (creates)
// params: tenant_id: str, participants: list[map]
// returns: (none)
UNWIND $participants AS row
CREATE (p:Participant)
SET p = row, p.tenant_id = $tenant_id
