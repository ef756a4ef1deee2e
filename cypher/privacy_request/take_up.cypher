// Take up a request again that the ledger knows, whether this database does or not.
// scope: tenant · access: write · index: privacy_request_uid
// params: tenant_id: str, uid: str, request_id: str, request: map, again: map
// returns: (none)
// eager: one request; a map may set any property, which the planner must assume
MERGE (r:PrivacyRequest {uid: $uid})
ON CREATE SET r += $request, r.tenant_id = $tenant_id, r.request_id = $request_id
SET r += $again
