// Show events of a tenant to an officer, with their payloads where these are still there.
// scope: tenant · access: read · index: event_uid, branch_ref
// params: tenant_id: str, uids: list[str]
// returns: event_uid: str, kind: str, seq: int, at: str, conversation_id: str | None, branch_id: str | None, body: str | None (many)
UNWIND $uids AS uid
MATCH (e:Event {uid: uid})
WHERE e.tenant_id = $tenant_id
MATCH (b:Branch {branch_ref: e.branch_ref})
RETURN e.uid AS event_uid, e.kind AS kind, e.seq AS seq, e.at AS at, b.conversation_id AS conversation_id, b.branch_id AS branch_id,
       head([(e)-[:HAS_PAYLOAD]->(p:Payload) | p.body]) AS body
