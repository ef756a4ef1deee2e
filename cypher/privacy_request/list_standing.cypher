// List the requests of people that stand at a stage, of one kind.
// scope: tenant · access: read · index: user_uid
// params: tenant_id: str, people: list[str], kind: str, stage: str
// returns: uid: str (many)
UNWIND $people AS person
MATCH (u:User {uid: person})<-[:ASKS_FOR]-(r:PrivacyRequest)
WHERE r.tenant_id = $tenant_id AND r.request_kind = $kind AND r.stage = $stage
RETURN DISTINCT r.uid AS uid
ORDER BY uid
