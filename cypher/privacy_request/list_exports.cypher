// List requests of people whose exports there may be.
// scope: tenant · access: read · index: user_uid
// params: tenant_id: str, people: list[str], kinds: list[str]
// returns: uid: str (many)
UNWIND $people AS person
MATCH (u:User {uid: person})<-[:ASKS_FOR]-(r:PrivacyRequest)
WHERE r.tenant_id = $tenant_id AND r.request_kind IN $kinds
RETURN DISTINCT r.uid AS uid
ORDER BY uid
