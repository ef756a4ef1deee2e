// Read what a checkpoint of a participant saved, with what stood there and what became of it since on a lineage.
// scope: tenant · access: read · index: tenant_key, continuation_checkpoint_key, model_run_uid, skill_state_place, working_memory_version, participant_uid, policy_decision_place, tool_call_key, model_run_checkpoint
// params: tenant_id: str, checkpoint_id: str, participant_uid: str, branch_ref: int, stretches: list[map]
// returns: seq: int, recorded_at: datetime, run_id: str | None, parent_run_id: str | None, budgets: list[str], skill_states: list[map], working_memories: list[map], children: list[map], calls: list[map], runs: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (k:ContinuationCheckpoint {tenant_id: $tenant_id, checkpoint_id: $checkpoint_id})
WHERE k.participant_uid = $participant_uid
  AND any(s IN $stretches WHERE s.branch_ref = k.branch_ref AND s.floor < k.seq AND k.seq <= s.ceiling)
  AND (hidden IS NULL OR none(who IN k.subject_uids WHERE who IN hidden))
OPTIONAL MATCH (r:ModelRun {uid: k.run_uid})
OPTIONAL MATCH (p:ModelRun {uid: coalesce(k.parent_run_uid, r.parent_run_uid)})
RETURN k.seq AS seq, k.recorded_at AS recorded_at, r.run_id AS run_id, p.run_id AS parent_run_id,
       k.budgets AS budgets,
       COLLECT {
         UNWIND $stretches AS s
         CALL (s, k, hidden) {
           MATCH (n:SkillState)
           WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.seq < k.seq
             AND n.participant_uid = k.participant_uid AND n.tenant_id = $tenant_id
             AND (hidden IS NULL OR none(who IN n.subject_uids WHERE who IN hidden))
           RETURN n
           ORDER BY n.branch_ref DESC, n.seq DESC
           LIMIT 1
         }
         RETURN n {.skills, .profiles, .direct_tools, .integrations}
         LIMIT 1
       } AS skill_states,
       COLLECT {
         UNWIND $stretches AS s
         CALL (s, k, hidden) {
           MATCH (w:WorkingMemory)
           USING INDEX w:WorkingMemory(branch_ref, participant_uid, version)
           WHERE w.branch_ref = s.branch_ref AND w.participant_uid = k.participant_uid AND w.version > 0
             AND w.seq > s.floor AND w.seq <= s.ceiling AND w.seq < k.seq AND w.tenant_id = $tenant_id
             AND (hidden IS NULL OR none(who IN w.subject_uids WHERE who IN hidden))
           RETURN w
           ORDER BY w.branch_ref DESC, w.participant_uid DESC, w.version DESC
           LIMIT 1
         }
         RETURN w {.version, .fields, .block}
         LIMIT 1
       } AS working_memories,
       COLLECT {
         UNWIND k.child_participant_uids AS uid
         MATCH (c:Participant {uid: uid})
         WHERE hidden IS NULL OR c.user_uid IS NULL OR NOT c.user_uid IN hidden
         RETURN c {.participant_id, releases: COLLECT {
           UNWIND $stretches AS s
           MATCH (d:PolicyDecision)
           USING INDEX d:PolicyDecision(branch_ref, seq)
           WHERE d.branch_ref = s.branch_ref AND d.seq > s.floor AND d.seq <= s.ceiling AND d.seq > k.seq
             AND d.participant_uid = c.uid AND $participant_uid IN d.to_uids AND d.tenant_id = $tenant_id
           RETURN d {.outcome, .summary, .seq}
           ORDER BY d.seq DESC
           LIMIT 1
         }}
       } AS children,
       COLLECT {
         UNWIND k.pending_call_ids AS id
         MATCH (t:ToolCall {tenant_id: $tenant_id, call_id: id})
         WHERE (hidden IS NULL OR none(who IN t.subject_uids WHERE who IN hidden))
         RETURN t {.uid, .call_id, .tool_name, .branch_ref, .participant_uid, .visibility, .privacy_class,
                   .shared_with, artifacts: COLLECT {
                     MATCH (t)-[:RESULTED_IN]->(a:ToolArtifact)
                     WHERE any(s IN $stretches WHERE s.branch_ref = a.branch_ref
                               AND coalesce(a.result_seq, a.call_seq) <= s.ceiling)
                       AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
                     RETURN a {.uid, .call_status, .result_seq}
                     ORDER BY coalesce(a.result_seq, 0) DESC // a fork answers by an artifact of its own
                     LIMIT 1
                   }}
       } AS calls,
       COLLECT {
         MATCH (n:ModelRun {checkpoint_uid: k.uid, branch_ref: $branch_ref})
         WHERE n.tenant_id = $tenant_id
         RETURN n {.run_id, .seq, .recorded_at}
       } AS runs
