// Count responses that are older than a moment and that nothing refers to.
// scope: tenant · access: read · index: response_recorded_at
// params: tenant_id: str, before: datetime
// returns: old: int (one)
MATCH (n:Response)
WHERE n.tenant_id = $tenant_id AND n.recorded_at < $before AND NOT EXISTS { MATCH (n)<-[r]-() WHERE NOT r:ANSWERED_BY }
RETURN count(n) AS old
