// Read what a person asked for, by its uid.
// scope: tenant · access: read · index: privacy_request_uid
// params: tenant_id: str, uid: str
// returns: request: map (one)
MATCH (r:PrivacyRequest {uid: $uid})
WHERE r.tenant_id = $tenant_id
RETURN properties(r) AS request
