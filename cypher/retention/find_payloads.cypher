// Find the payloads of events in stretches of branches that were recorded before a time, with the claims whose evidence each
// of them is.
// scope: tenant · access: read · index: tenant_key, event_place, claim_place, message_place, model_run_place, tool_call_place, tool_artifact_result_place
// params: tenant_id: str, stretches: list[map], before: str, mark: str
// returns: uid: str, recorded_at: str, branch_ref: int, subject_uids: list[str], body: str | None, restricted: bool, referrers: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH hidden, e
WHERE e.tenant_id = $tenant_id AND e.at < $before AND EXISTS { (e)-[:HAS_PAYLOAD]->(:Payload) }
RETURN e.uid AS uid, e.at AS recorded_at, e.branch_ref AS branch_ref, e.subject_uids AS subject_uids,
       head(COLLECT { MATCH (e)-[:HAS_PAYLOAD]->(p:Payload) WHERE p.body CONTAINS $mark RETURN p.body }) AS body,
       hidden IS NOT NULL AND any(who IN e.subject_uids WHERE who IN hidden) AS restricted,
       COLLECT {
         CALL (e) {
           MATCH (x:Claim)
           WHERE x.branch_ref = e.branch_ref AND x.seq = e.seq
           RETURN x
         UNION
           MATCH (n:Message)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           MATCH (n)<-[:RESTS_ON]-(x:Claim)
           RETURN x
         UNION
           MATCH (n:ModelRun)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           CALL (n) {
             MATCH (n)<-[:RESTS_ON]-(x:Claim)
             RETURN x
           UNION
             MATCH (n)-[:PRODUCED]->(x:Claim)
             RETURN x
           }
           RETURN x
         UNION
           MATCH (n:ToolCall)
           WHERE n.branch_ref = e.branch_ref AND n.seq = e.seq
           MATCH (n)-[:RESULTED_IN]->(:ToolArtifact)<-[:RESTS_ON]-(x:Claim)
           RETURN x
         UNION
           MATCH (n:ToolArtifact)
           WHERE n.branch_ref = e.branch_ref AND n.result_seq = e.seq
           MATCH (n)<-[:RESTS_ON]-(x:Claim)
           RETURN x
         }
         WITH x
         WHERE x.tenant_id = $tenant_id AND (x.retained_as IS NULL OR x.retained_as = 'archive')
         RETURN DISTINCT {type: 'RESTS_ON', uid: x.uid}
       } AS referrers
