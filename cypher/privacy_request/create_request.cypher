// Record what a person asked for; once for the client's id.
// scope: tenant · access: write · index: privacy_request_key, user_uid
// params: tenant_id: str, request_id: str, request: map
// returns: request: map (one)
// eager: one request; a map may set any property, which the planner must assume
MERGE (r:PrivacyRequest {tenant_id: $tenant_id, request_id: $request_id})
ON CREATE SET r += $request
WITH r
CALL (r) {
  UNWIND r.subject_uids AS uid
  MATCH (u:User {uid: uid})
  WHERE u.tenant_id = $tenant_id
  MERGE (r)-[:ASKS_FOR]->(u)
}
RETURN properties(r) AS request
