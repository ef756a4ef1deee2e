// Take the locks of requests of people that stand at some stages, so that none is approved meanwhile; answers the stages.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, people: list[str], kinds: list[str], stages: list[str]
// returns: stage: str (many)
// eager: at most a person's requests; they are read after their locks were taken
UNWIND $people AS person
MATCH (u:User {uid: person})<-[:ASKS_FOR]-(r:PrivacyRequest)
WHERE r.tenant_id = $tenant_id
WITH DISTINCT r
WHERE r.request_kind IN $kinds AND r.stage IN $stages
SET r.tenant_id = $tenant_id
WITH r
RETURN r.stage AS stage
