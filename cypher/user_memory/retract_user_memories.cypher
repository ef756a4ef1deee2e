// Retract user memories; one that was retracted before keeps its time.
// scope: tenant · access: write · index: user_memory_uid
// params: tenant_id: str, retractions: list[map]
// returns: (none)
UNWIND $retractions AS row
MATCH (m:UserMemory {uid: row.uid})
WHERE m.tenant_id = $tenant_id
SET m.retracted_at = coalesce(m.retracted_at, row.retracted_at)
