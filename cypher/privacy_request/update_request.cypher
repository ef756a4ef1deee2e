// Change a request that stands at one of some stages; no row where it stands elsewhere. The first SET takes its lock.
// scope: tenant · access: write · index: privacy_request_uid
// params: tenant_id: str, uid: str, stages: list[str], changes: map
// returns: request: map (one)
// eager: one request; it is read after its lock was taken
MATCH (r:PrivacyRequest {uid: $uid})
WHERE r.tenant_id = $tenant_id
SET r.uid = $uid
WITH r
WHERE r.stage IN $stages
SET r += $changes
RETURN properties(r) AS request
