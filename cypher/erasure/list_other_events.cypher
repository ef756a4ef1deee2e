// List the events of stretches of branches that name none of some people, with their payloads: they may refer to what is
// theirs.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, stretches: list[map], people: list[str]
// returns: uid: str, branch_ref: int, actor_uid: str | None, others: list[str], body: str (many)
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH e
WHERE e.tenant_id = $tenant_id AND e.erased_by IS NULL AND none(uid IN e.subject_uids WHERE uid IN $people)
MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
RETURN e.uid AS uid, e.branch_ref AS branch_ref, e.actor_uid AS actor_uid, e.subject_uids AS others, p.body AS body
ORDER BY e.branch_ref, e.seq
