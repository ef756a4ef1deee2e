// Find an event by its uid: where it stands, and the items that it made, each with what policy needs to judge it.
// What a subagent's end released is its own and its receivers'; a compaction's items are its lines. A redaction's are those of the
// event that it gives other words.
// scope: tenant · access: read · index: tenant_key, event_uid, branch_ref, message_place, model_run_place, tool_call_place, tool_artifact_result_place, claim_place, user_memory_place, pin_place, skill_state_place, working_memory_place, continuation_checkpoint_place, compaction_place, policy_decision_place
// params: tenant_id: str, event_uid: str, participant_uid: str
// returns: branch_ref: int, seq: int, branch_id: str, kind: str, actor_uid: str | None, redacts: str | None, redacted_by: str | None, items: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (e:Event {uid: $event_uid})
WHERE e.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN e.subject_uids WHERE who IN hidden))
MATCH (b:Branch {branch_ref: e.branch_ref})
MATCH (e)-[:REDACTS*0..64]->(o:Event)
WHERE NOT EXISTS { (o)-[:REDACTS]->() }
RETURN e.branch_ref AS branch_ref, e.seq AS seq, b.branch_id AS branch_id,
       o.kind AS kind, o.actor_uid AS actor_uid, CASE WHEN o.uid <> e.uid THEN o.uid END AS redacts,
       head(COLLECT {
         MATCH (r:Event)-[:REDACTS*1..64]->(e)
         WHERE NOT EXISTS { (r)<-[:REDACTS]-() }
         RETURN r.uid
         LIMIT 1
       }) AS redacted_by,
       COLLECT {
         CALL (o) {
           MATCH (n:Message)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:ModelRun)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:ToolCall)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:ToolArtifact)
           WHERE n.branch_ref = o.branch_ref AND n.result_seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:Claim)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:UserMemory)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:Pin)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:SkillState)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:WorkingMemory)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:ContinuationCheckpoint)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (c:Compaction)
           WHERE c.branch_ref = o.branch_ref AND c.seq = o.seq
           MATCH (c)-[:HAS_LINE]->(n:SummaryLine)
           RETURN n, n.visibility AS visibility, n.shared_with AS shared_with
         UNION
           MATCH (n:PolicyDecision)
           USING INDEX n:PolicyDecision(branch_ref, seq)
           WHERE n.branch_ref = o.branch_ref AND n.seq = o.seq
           RETURN n, 'participant' AS visibility, n.to_uids AS shared_with
         }
         WITH n, visibility, shared_with
         WHERE (hidden IS NULL OR none(who IN coalesce(n.subject_uids, []) WHERE who IN hidden))
         RETURN {uid: n.uid, branch_ref: n.branch_ref, participant_uid: n.participant_uid, visibility: visibility,
                 shared_with: shared_with, privacy_class: n.privacy_class,
                 releases: COLLECT {
                   MATCH (n)-[r:SHARED_WITH]->(:Participant {uid: $participant_uid})
                   RETURN r {.branch_ref, .seq}
                 }}
       } AS items
