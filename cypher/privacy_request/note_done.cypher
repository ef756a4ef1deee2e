// Keep what a request has done so far, while its runner holds the lease, and prolong that; no row where another one has it.
// scope: tenant · access: write · index: privacy_request_uid, job_lease_name
// params: tenant_id: str, uid: str, lease: str, owner: str, lease_s: int, done: str
// returns: uid: str (one)
// eager: one request
MATCH (l:JobLease {name: $lease})
WHERE l.owner = $owner
SET l.expires_at = datetime.realtime() + duration({seconds: $lease_s})
WITH l
MATCH (r:PrivacyRequest {uid: $uid})
WHERE r.tenant_id = $tenant_id
SET r.done = $done
RETURN r.uid AS uid
