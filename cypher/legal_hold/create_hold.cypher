// Set a legal hold on a person; once for the client's id.
// scope: tenant · access: write · index: legal_hold_key, user_uid
// params: tenant_id: str, hold_id: str, hold: map
// returns: hold: map (one)
// eager: one hold; a map may set any property, which the planner must assume
MERGE (h:LegalHold {tenant_id: $tenant_id, hold_id: $hold_id})
ON CREATE SET h += $hold
WITH h
CALL (h) {
  UNWIND h.subject_uids AS uid
  MATCH (u:User {uid: uid})
  WHERE u.tenant_id = $tenant_id
  MERGE (h)-[:HOLDS]->(u)
}
RETURN properties(h) AS hold
