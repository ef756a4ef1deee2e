// Open a branch for people who read it: its lineage, what it is called, whether it is closed, and the seat that asks where one does.
// scope: tenant · access: read · index: tenant_key, branch_key, conversation_uid, participant_key
// params: tenant_id: str, conversation_id: str, branch_id: str, participant_id: str | None
// returns: branch_ref: int, lineage: list[int], cutoffs: list[int], head: int, title: str | None, closed: bool, transcript_tokens: int, active_version: int, participant_uid: str | None, participant_kind: str | None, agent: str | None (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: $conversation_id, branch_id: $branch_id})
MATCH (c:Conversation {uid: b.conversation_uid})
WHERE t.hidden_uids IS NULL OR c.user_uid IS NULL OR NOT c.user_uid IN t.hidden_uids
OPTIONAL MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: $conversation_id, participant_id: $participant_id})
RETURN b.branch_ref AS branch_ref, b.lineage AS lineage, b.cutoffs AS cutoffs, b.head AS head, b.title AS title,
       coalesce(b.closed, false) AS closed, b.transcript_tokens AS transcript_tokens,
       coalesce(t.active_version, 0) AS active_version, p.uid AS participant_uid, p.participant_kind AS participant_kind,
       p.agent AS agent
