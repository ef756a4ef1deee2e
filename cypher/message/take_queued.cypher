// Take an answer out of the queue, with its run, the newest user message that it answers, the people of its conversation
// and its ratings. The first SET takes the locks: the branch's, for which an erasure waits before it looks for what was
// learned, and the message's, so that whoever comes second finds it taken.
// scope: tenant · access: write · index: message_uid, tenant_key, branch_ref, model_run_uid, participant_uid, message_place, participant_key
// params: tenant_id: str, message_uid: str
// returns: active_version: int, run_status: str, recorded_at: datetime, answer: map, questions: list[map], names: list[str], ratings: list[str] (one)
// eager: one row; what is read must be read after the first SET has taken the locks
MATCH (m:Message {uid: $message_uid})
WHERE m.tenant_id = $tenant_id
MATCH (b:Branch {branch_ref: m.branch_ref})
SET b.branch_ref = b.branch_ref, m.tenant_id = $tenant_id
WITH m, b
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t, m, b, t.hidden_uids AS hidden
WHERE m.queued_at IS NOT NULL AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
REMOVE m.queued_at
WITH t, m, b, hidden
MATCH (r:ModelRun {uid: m.run_uid})
MATCH (s:Participant {uid: m.participant_uid})
WITH t, m, hidden, r, s, b.conversation_id AS conversation_id, b.lineage + [b.branch_ref] AS refs, b.cutoffs + [m.seq] AS ceilings
RETURN coalesce(t.active_version, 0) AS active_version, r.run_status AS run_status, m.recorded_at AS recorded_at,
       m {.uid, .text, .visibility, .privacy_class, .subject_uids, .conversation_uid, .branch_ref, .seq,
          .participant_uid, participant_kind: s.participant_kind} AS answer,
       COLLECT {
         UNWIND range(size(refs) - 1, 0, -1) AS i
         CALL (refs, ceilings, i, m, hidden) {
           MATCH (q:Message)
           WHERE q.branch_ref = refs[i] AND q.seq <= ceilings[i] AND q.role = 'user'
             AND q.participant_uid <> m.participant_uid AND (hidden IS NULL OR none(who IN q.subject_uids WHERE who IN hidden))
           RETURN q
           ORDER BY q.branch_ref DESC, q.seq DESC // the index gives this order: reading stops at the first
           LIMIT 1
         }
         WITH q
         LIMIT 1
         MATCH (p:Participant {uid: q.participant_uid})
         RETURN q {.uid, .text, .visibility, .privacy_class, .subject_uids, .seq, participant_kind: p.participant_kind}
       } AS questions,
       COLLECT {
         MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: conversation_id})
         WHERE p.participant_id IS NOT NULL AND p.participant_kind = 'human' AND p.display_name IS NOT NULL
         RETURN p.display_name
       } AS names,
       COLLECT {
         MATCH (:User)-[o:RATED]->(m)
         RETURN o.rating
       } AS ratings
