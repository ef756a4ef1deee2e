// List the events of stretches of branches that name none of some people in `subject_uids`, and hold one of some names (in small
// letters) anywhere in their payloads.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, stretches: list[map], people: list[str], names: list[str]
// returns: uid: str, body: str (many)
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH e
WHERE e.tenant_id = $tenant_id AND e.erased_by IS NULL AND none(uid IN e.subject_uids WHERE uid IN $people)
MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
WHERE any(name IN $names WHERE toLower(p.body) CONTAINS name)
RETURN e.uid AS uid, p.body AS body
