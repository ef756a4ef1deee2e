// Find the events that corrections name, by their uid, by what they made or by their place; each with the branch that recorded it,
// whose conversation it is, and its payload as it reads now.
// scope: tenant · access: read · index: event_uid, message_key, tool_call_key, tool_artifact_call, user_memory_key, claim_key, pin_key, branch_key, event_place, branch_ref, conversation_key
// params: tenant_id: str, named: list[map]
// returns: number: int, uid: str, kind: str, branch_ref: int, seq: int, actor_uid: str | None, subject_uids: list[str], conversation_id: str, branch_id: str, owner_uid: str | None, told: list[map] (many)
UNWIND range(0, size($named) - 1) AS number
WITH number, $named[number] AS row
CALL (row) {
  MATCH (n:Event {uid: row.uid})
  MATCH (n)-[:REDACTS*0..64]->(o:Event)
  WHERE NOT EXISTS { (o)-[:REDACTS]->() }
  RETURN o.branch_ref AS branch_ref, o.seq AS seq
UNION
  MATCH (n:Message {tenant_id: $tenant_id, message_id: row.message_id})
  RETURN n.branch_ref AS branch_ref, n.seq AS seq
UNION
  MATCH (n:ToolCall {tenant_id: $tenant_id, call_id: row.call_id})
  RETURN n.branch_ref AS branch_ref, n.seq AS seq
UNION
  MATCH (c:ToolCall {tenant_id: $tenant_id, call_id: row.result_of})
  MATCH (n:ToolArtifact {tenant_id: $tenant_id, call_uid: c.uid, branch_ref: c.branch_ref})
  RETURN n.branch_ref AS branch_ref, n.result_seq AS seq
UNION
  MATCH (n:UserMemory {tenant_id: $tenant_id, memory_id: row.memory_id})
  RETURN n.branch_ref AS branch_ref, n.seq AS seq
UNION
  MATCH (n:Claim {tenant_id: $tenant_id, claim_id: row.claim_id})
  RETURN n.branch_ref AS branch_ref, n.seq AS seq
UNION
  MATCH (n:Pin {tenant_id: $tenant_id, pin_id: row.pin_id})
  RETURN n.branch_ref AS branch_ref, n.seq AS seq
UNION
  MATCH (n:Branch {tenant_id: $tenant_id, conversation_id: row.conversation_id, branch_id: row.branch_id})
  RETURN n.branch_ref AS branch_ref, row.seq AS seq
UNION
  WITH row
  WHERE row.branch_ref IS NOT NULL
  RETURN row.branch_ref AS branch_ref, row.seq AS seq
}
MATCH (e:Event {branch_ref: branch_ref, seq: seq})
WHERE e.tenant_id = $tenant_id
MATCH (b:Branch {branch_ref: branch_ref})
MATCH (c:Conversation {tenant_id: $tenant_id, conversation_id: b.conversation_id})
RETURN number AS number, e.uid AS uid, e.kind AS kind, e.branch_ref AS branch_ref, e.seq AS seq, e.actor_uid AS actor_uid,
       e.subject_uids AS subject_uids, b.conversation_id AS conversation_id, b.branch_id AS branch_id, c.user_uid AS owner_uid,
       COLLECT {
         MATCH (r:Event)-[:REDACTS*0..64]->(e)
         MATCH (r)-[:HAS_PAYLOAD]->(p:Payload)
         RETURN {uid: r.uid, body: p.body, subject_uids: r.subject_uids}
         LIMIT 1
       } AS told
ORDER BY number
