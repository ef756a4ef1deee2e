// Create continuation checkpoints.
// scope: tenant · access: write · index: none (creates)
// params: tenant_id: str, checkpoints: list[map]
// returns: (none)
UNWIND $checkpoints AS row
CREATE (c:ContinuationCheckpoint)
SET c = row, c.tenant_id = $tenant_id
