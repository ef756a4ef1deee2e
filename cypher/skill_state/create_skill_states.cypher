// Create skill states.
// scope: tenant · access: write · index: none (creates)
// params: tenant_id: str, skill_states: list[map]
// returns: (none)
UNWIND $skill_states AS row
CREATE (s:SkillState)
SET s = row, s.tenant_id = $tenant_id
