// Find the items in stretches of branches that were recorded before a time, each label's own, with what refers to each of
// them: those a rule is over. With `lock` they stay as they are until the transaction ends: whoever refers to one first keeps it.
// scope: tenant · access: write · index: tenant_key, message_place, model_run_place, tool_call_place, tool_artifact_call_place, tool_memory_place, user_memory_place, claim_place, pin_place, skill_state_place, working_memory_place, continuation_checkpoint_place
// params: tenant_id: str, stretches: list[map], before: map, lock: bool
// returns: label: str, uid: str, recorded_at: datetime, branch_ref: int, seq: int, kept: map, restricted: bool, open: bool, until_seq: int | None, referrers: list[map], pair_uids: list[str] (many)
// eager: at most one stretch's items; what refers to a node must be read after its lock was taken
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
CALL (s) {
  MATCH (n:Message)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.Message
  RETURN n
UNION ALL
  MATCH (n:ModelRun)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.ModelRun
  RETURN n
UNION ALL
  MATCH (n:ToolCall)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.ToolCall
  RETURN n
UNION ALL
  MATCH (n:ToolMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.ToolMemory
  RETURN n
UNION ALL
  MATCH (n:UserMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.UserMemory
  RETURN n
UNION ALL
  MATCH (n:Claim)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.Claim
  RETURN n
UNION ALL
  MATCH (n:Pin)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.Pin
  RETURN n
UNION ALL
  MATCH (n:SkillState)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.SkillState
  RETURN n
UNION ALL
  MATCH (n:WorkingMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.WorkingMemory
  RETURN n
UNION ALL
  MATCH (n:ContinuationCheckpoint)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.recorded_at < $before.ContinuationCheckpoint
  RETURN n
UNION ALL
  MATCH (n:ToolArtifact)
  WHERE n.branch_ref = s.branch_ref AND n.call_seq > s.floor AND n.call_seq <= s.ceiling AND coalesce(n.resolved_at, n.captured_at) < $before.ToolArtifact
  RETURN n
}
WITH hidden, n
WHERE n.tenant_id = $tenant_id
WITH hidden, collect(n) AS found
FOREACH (n IN CASE WHEN $lock THEN found ELSE [] END | SET n.tenant_id = $tenant_id)
WITH hidden, found
UNWIND found AS n
RETURN labels(n)[0] AS label, n.uid AS uid, coalesce(n.recorded_at, n.resolved_at, n.captured_at) AS recorded_at, n.branch_ref AS branch_ref,
       coalesce(n.seq, n.call_seq) AS seq, properties(n) AS kept,
       hidden IS NOT NULL AND any(who IN n.subject_uids WHERE who IN hidden) AS restricted,
       EXISTS {
         MATCH (n:ToolCall)-[:RESULTED_IN]->(a:ToolArtifact)
         WHERE a.result_seq IS NULL
       } OR n:ToolArtifact AND n.result_seq IS NULL AS open,
       CASE WHEN n:WorkingMemory THEN head(COLLECT {
         MATCH (w:WorkingMemory)
         WHERE w.branch_ref = n.branch_ref AND w.participant_uid = n.participant_uid AND w.version > n.version
         RETURN w.seq
         ORDER BY w.version
         LIMIT 1
       }) END AS until_seq,
       COLLECT {
         MATCH (n)<-[r:DERIVED_FROM|RESTS_ON|REPLACES|INCLUDED|REHYDRATED|PINS|CONCERNS|USED_TOOL|SUMMARISES]-(x)
         WHERE x.retained_as IS NULL OR x.retained_as = 'archive'
         RETURN DISTINCT {type: type(r), uid: x.uid, archived: x.retained_as IS NOT NULL}
       } + COLLECT {
         MATCH (n:ToolCall)-[:RESULTED_IN]->(:ToolArtifact)<-[r:DERIVED_FROM|RESTS_ON|REHYDRATED]-(x)
         WHERE x.retained_as IS NULL OR x.retained_as = 'archive'
         RETURN DISTINCT {type: type(r), uid: x.uid, archived: x.retained_as IS NOT NULL}
       } + COLLECT {
         MATCH (n:UserMemory)-[r:SUPERSEDES]->(x:UserMemory)
         WHERE x.retained_as IS NULL OR x.retained_as = 'archive'
         RETURN {type: type(r), uid: x.uid, archived: x.retained_as IS NOT NULL}
       } AS referrers,
       COLLECT {
         MATCH (n:ToolCall)-[:RESULTED_IN]->(x:ToolArtifact)
         RETURN x.uid
       } + COLLECT {
         MATCH (n:ToolArtifact)<-[:RESULTED_IN]-(x:ToolCall)
         WHERE x.branch_ref = n.branch_ref
         RETURN x.uid
       } AS pair_uids
