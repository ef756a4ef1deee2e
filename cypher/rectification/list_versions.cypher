// List what a participant noted down in a conversation, on all branches: each version of the working memory as it stands, and the
// event that made it, as that reads now.
// scope: tenant · access: read · index: working_memory_uid, branch_ref, branch_key, working_memory_version, event_place
// params: tenant_id: str, uid: str
// returns: branch_ref: int, lineage: list[int], cutoffs: list[int], event_uid: str, body: str | None, kept: map (many)
// eager: one participant's versions in one conversation
MATCH (w:WorkingMemory {uid: $uid})
WHERE w.tenant_id = $tenant_id
MATCH (at:Branch {branch_ref: w.branch_ref})
MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: at.conversation_id})
WHERE b.branch_id IS NOT NULL
MATCH (v:WorkingMemory)
WHERE v.branch_ref = b.branch_ref AND v.participant_uid = w.participant_uid AND v.version > 0
MATCH (e:Event {branch_ref: v.branch_ref, seq: v.seq})
WHERE e.tenant_id = $tenant_id
RETURN b.branch_ref AS branch_ref, b.lineage AS lineage, b.cutoffs AS cutoffs, e.uid AS event_uid,
       head(COLLECT {
         MATCH (r:Event)-[:REDACTS*0..64]->(e)
         MATCH (r)-[:HAS_PAYLOAD]->(p:Payload)
         RETURN p.body
         LIMIT 1
       }) AS body,
       properties(v) AS kept
ORDER BY v.version
