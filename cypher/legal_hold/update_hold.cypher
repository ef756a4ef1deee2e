// Change a legal hold that has not ended; no row where it has.
// scope: tenant · access: write · index: legal_hold_key
// params: tenant_id: str, hold_id: str, changes: map
// returns: hold: map (one)
// eager: one hold
MATCH (h:LegalHold {tenant_id: $tenant_id, hold_id: $hold_id})
WHERE h.ended_at IS NULL
SET h += $changes
RETURN properties(h) AS hold
