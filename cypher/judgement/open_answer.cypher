// Open an answer to be judged: its words, the question before it in its lineage, its run with what that run's assembly
// counted, and what was judged of it so far.
// scope: tenant · access: read · index: message_key, branch_ref, message_place, context_assembly_uid, judgement_answer, learning_candidate_answer, tenant_key
// params: tenant_id: str, message_id: str
// returns: answer: map, questions: list[map], run_status: str | None, assembly_id: str | None, factors: str | None, judgement: map | None, candidate_id: str | None, active_version: int (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t, t.hidden_uids AS hidden
MATCH (m:Message {tenant_id: $tenant_id, message_id: $message_id})
WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
MATCH (b:Branch {branch_ref: m.branch_ref})
OPTIONAL MATCH (r:ModelRun)-[:PRODUCED]->(m)
OPTIONAL MATCH (a:ContextAssembly {uid: r.assembly_id})
WHERE a.tenant_id = $tenant_id
OPTIONAL MATCH (j:Judgement {message_uid: m.uid})
OPTIONAL MATCH (k:LearningCandidate {message_uid: m.uid})
WITH t, hidden, m, b, r, a, j, k, b.lineage + [b.branch_ref] AS refs, b.cutoffs + [b.head] AS ceilings
RETURN m {.uid, .message_id, .role, .text, .visibility, .privacy_class, .subject_uids} AS answer,
       COLLECT {
         UNWIND range(size(refs) - 1, 0, -1) AS i
         CALL (refs, ceilings, i, m, hidden) {
           MATCH (q:Message)
           WHERE q.branch_ref = refs[i] AND q.seq <= ceilings[i] AND q.seq < m.seq AND q.role = 'user'
             AND (hidden IS NULL OR none(who IN q.subject_uids WHERE who IN hidden))
           RETURN q {.uid, .visibility, .privacy_class, .subject_uids} AS question
           ORDER BY q.branch_ref DESC, q.seq DESC
           LIMIT 1
         }
         RETURN question
         LIMIT 1
       } AS questions,
       r.run_status AS run_status, a.uid AS assembly_id, a.factors AS factors,
       j {.composite, .factors, .feedback, .threshold, .configuration_number, .judged_at} AS judgement,
       k.uid AS candidate_id, coalesce(t.active_version, 0) AS active_version
