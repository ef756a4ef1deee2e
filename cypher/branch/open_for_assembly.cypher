// Open a branch for an assembly: its lineage, who asks, the newest run of the asker and newest user message, and how
// many events that the branch shows had their payloads destroyed.
// scope: tenant · access: read · index: tenant_key, conversation_key, branch_key, participant_key, user_uid, model_run_place, message_place, event_erased_by
// params: tenant_id: str, conversation_id: str, branch_id: str, participant_id: str, as_of: int
// returns: conversation_uid: str, forked: bool, branch_ref: int, lineage: list[int], cutoffs: list[int], merges: list[int], head: int, transcript_tokens: int, transcript_items: int, participant_uid: str, participant_kind: str, agent: str | None, active_version: int, known_user_uid: str | None, erasure_count: int, ended: bool, redacted_count: int, run_seqs: list[int], user_seqs: list[int] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
MATCH (c:Conversation {tenant_id: $tenant_id, conversation_id: $conversation_id})
MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: $conversation_id, branch_id: $branch_id})
MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: $conversation_id, participant_id: $participant_id})
OPTIONAL MATCH (u:User {uid: c.user_uid})
WITH t, c, b, p, u, t.hidden_uids AS hidden
WHERE hidden IS NULL OR c.user_uid IS NULL OR NOT c.user_uid IN hidden
WITH t, c, b, p, hidden, CASE WHEN u.remembered_at IS NOT NULL THEN u.uid END AS known_user_uid, u.erased_at IS NOT NULL AS ended, b.lineage + [b.branch_ref] AS refs, b.cutoffs + [b.head] AS ceilings
RETURN c.uid AS conversation_uid, coalesce(c.forked, false) AS forked, b.branch_ref AS branch_ref, b.lineage AS lineage, b.cutoffs AS cutoffs,
       coalesce(b.merges, []) AS merges,
       b.head AS head, b.transcript_tokens AS transcript_tokens, b.transcript_items AS transcript_items,
       p.uid AS participant_uid, p.participant_kind AS participant_kind,
       p.agent AS agent, coalesce(t.active_version, 0) AS active_version, known_user_uid,
       coalesce(t.erasure_count, 0) AS erasure_count, ended,
       COUNT {
         UNWIND CASE WHEN t.erasure_count IS NULL THEN [] ELSE range(0, size(refs) - 1) END AS i // most tenants have none
         MATCH (e:Event)
         USING INDEX e:Event(branch_ref, erased_by)
         WHERE e.branch_ref = refs[i] AND e.erased_by IS NOT NULL AND e.seq <= ceilings[i] AND e.seq <= $as_of
           AND e.kind <> 'redaction'
         RETURN e
       UNION
         UNWIND CASE WHEN t.erasure_count IS NULL THEN [] ELSE range(0, size(coalesce(b.merges, [])) - 1, 4) END AS i
         MATCH (e:Event)
         USING INDEX e:Event(branch_ref, erased_by)
         WHERE e.branch_ref = b.merges[i + 1] AND e.erased_by IS NOT NULL AND e.seq > b.merges[i + 2] AND e.seq <= b.merges[i + 3]
           AND b.merges[i] <= $as_of AND e.kind <> 'redaction'
         RETURN e
       } AS redacted_count,
       COLLECT {
         UNWIND range(size(refs) - 1, 0, -1) AS i
         CALL (refs, ceilings, i, p) {
           MATCH (r:ModelRun)
           WHERE r.branch_ref = refs[i] AND r.seq <= ceilings[i] AND r.seq <= $as_of AND r.participant_uid = p.uid
             AND r.checkpoint_uid IS NULL // a run that takes a checkpoint up has seen nothing since
           RETURN r.seq AS seq
           ORDER BY r.branch_ref DESC, r.seq DESC // the index gives this order: reading stops at the first
           LIMIT 1
         }
         RETURN seq
         LIMIT 1
       } AS run_seqs,
       COLLECT {
         UNWIND range(size(refs) - 1, 0, -1) AS i
         CALL (refs, ceilings, i, p, hidden) {
           MATCH (m:Message)
           WHERE m.branch_ref = refs[i] AND m.seq <= ceilings[i] AND m.seq <= $as_of AND m.role = 'user'
             AND m.participant_uid <> p.uid AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
           RETURN m.seq AS seq
           ORDER BY m.branch_ref DESC, m.seq DESC
           LIMIT 1
         }
         RETURN seq
         LIMIT 1
       } AS user_seqs
