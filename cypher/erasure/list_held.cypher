// List what is held of people in stretches of branches: the payloads of the events that name them.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, stretches: list[map], people: list[str]
// returns: uid: str, kind: str, at: str, actor_uid: str | None, branch_uid: str, seq: int, subject_uids: list[str], salt: str, body: str (many)
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH s, e
WHERE e.tenant_id = $tenant_id AND (any(uid IN e.subject_uids WHERE uid IN $people) OR s.whole AND size(e.subject_uids) = 0)
MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
RETURN e.uid AS uid, e.kind AS kind, e.at AS at, e.actor_uid AS actor_uid, e.branch_uid AS branch_uid, e.seq AS seq, e.subject_uids AS subject_uids,
       p.salt AS salt, p.body AS body
ORDER BY branch_uid, seq
