// List the entries of the log in stretches of branches, in order: envelopes, and their payloads where these are asked for.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, stretches: list[map], payloads: bool
// returns: uid: str, tenant_id: str, branch_uid: str, branch_ref: int, seq: int, kind: str, at: str, actor_uid: str | None, subject_uids: list[str], payload_commitment: str, previous_hash: str, hash: str, erased_by: str | None, payloads: list[map] (many)
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH e
WHERE e.tenant_id = $tenant_id
RETURN e.uid AS uid, e.tenant_id AS tenant_id, e.branch_uid AS branch_uid, e.branch_ref AS branch_ref, e.seq AS seq,
       e.kind AS kind, e.at AS at, e.actor_uid AS actor_uid, e.subject_uids AS subject_uids,
       e.payload_commitment AS payload_commitment, e.previous_hash AS previous_hash, e.hash AS hash,
       e.erased_by AS erased_by,
       COLLECT {
         MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
         WHERE $payloads
         RETURN p {.event_uid, .tenant_id, .salt, .body}
       } AS payloads
ORDER BY branch_ref, seq
