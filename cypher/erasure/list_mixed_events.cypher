// List the events of stretches of branches that hold data of people and of others too, and that no seat of theirs recorded,
// with their payloads. `said_seq` is where what they redact was said, else their own; `others` are those who were not erased before: there may be nobody left.
// scope: tenant · access: read · index: event_place, user_uid
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str]
// returns: uid: str, branch_ref: int, said_seq: int, actor_uid: str | None, others: list[str], body: str (many)
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH e
WHERE e.tenant_id = $tenant_id AND e.erased_by IS NULL AND any(uid IN e.subject_uids WHERE uid IN $people)
  AND NOT all(uid IN e.subject_uids WHERE uid IN $people) AND NOT coalesce(e.actor_uid IN $seats, false)
MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
RETURN e.uid AS uid, e.branch_ref AS branch_ref,
       COLLECT {
         MATCH (e)-[:REDACTS*0..]->(said:Event)
         WHERE NOT EXISTS { (said)-[:REDACTS]->() }
         RETURN said.seq
       }[0] AS said_seq, e.actor_uid AS actor_uid,
       COLLECT {
         UNWIND e.subject_uids AS uid
         MATCH (u:User {uid: uid})
         WHERE NOT uid IN $people AND u.erased_at IS NULL
         RETURN uid
       } AS others, p.body AS body
ORDER BY e.branch_ref, e.seq
