// Find the events at places of branches, with the items at each place that are still readable, and the payloads that tell
// of them: its own, or that of what gave it other words. Bodies only where they have the mark of a blob.
// scope: tenant · access: read · index: event_place, message_place, model_run_place, tool_call_place, tool_artifact_result_place, user_memory_place, claim_place, pin_place, skill_state_place, working_memory_place, continuation_checkpoint_place
// params: tenant_id: str, places: list[map], mark: str
// returns: branch_ref: int, seq: int, readable: list[str], events: list[map] (many)
UNWIND $places AS place
MATCH (e:Event {branch_ref: place.branch_ref, seq: place.seq})
WHERE e.tenant_id = $tenant_id
RETURN e.branch_ref AS branch_ref, e.seq AS seq,
       COLLECT {
         CALL (e) {
           MATCH (n:Message)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:ModelRun)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:ToolCall)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:UserMemory)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:Claim)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:Pin)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:SkillState)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:WorkingMemory)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:ContinuationCheckpoint)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           RETURN n
         UNION ALL
           MATCH (n:ToolArtifact)
           WHERE n.branch_ref = e.branch_ref AND n.result_seq = e.seq
           RETURN n
         }
         WITH n
         WHERE n.retained_as IS NULL OR n.retained_as = 'archive'
         RETURN n.uid
       } AS readable,
       COLLECT {
         MATCH (e)<-[:REDACTS*0..8]-(x:Event)-[:HAS_PAYLOAD]->(p:Payload)
         RETURN x {.uid, .at, .subject_uids, body: CASE WHEN p.body CONTAINS $mark THEN p.body END}
       } AS events
