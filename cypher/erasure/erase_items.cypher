// Erase the items of people in stretches of branches, with their edges; without `erase` only say what would go. Whole
// are the people's own conversations, where what names nobody is theirs too. What a seat of theirs wrote is theirs
// although it names others; `decided` are items that an officer decided to erase.
// scope: tenant · access: write · index: message_place, model_run_place, tool_call_place, tool_artifact_call_place, tool_memory_place, user_memory_place, claim_place, pin_place, skill_state_place, working_memory_place, continuation_checkpoint_place, compaction_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str], decided: list[str], erase: bool
// returns: labels: list[str], edges: list[map], blobs: list[map] (one)
// eager: at most one stretch's items; all are found before the first is erased
UNWIND $stretches AS s
CALL (s) {
  MATCH (n:Message)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:ModelRun)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:ToolCall)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:ToolArtifact)
  WHERE n.branch_ref = s.branch_ref AND n.call_seq > s.floor AND n.call_seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:ToolMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:UserMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:Claim)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:Pin)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:SkillState)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:WorkingMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (n:ContinuationCheckpoint)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n
UNION ALL
  MATCH (c:Compaction)
  WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling
  MATCH (c)-[:HAS_LINE]->(n:SummaryLine)
  WHERE n.branch_ref = c.branch_ref AND n.seq = c.seq
  RETURN n
}
WITH s, n
WHERE n.tenant_id = $tenant_id
  AND CASE WHEN size(coalesce(n.subject_uids, [])) = 0 THEN s.whole
      ELSE any(uid IN n.subject_uids WHERE uid IN $people)
        AND (s.whole OR all(uid IN n.subject_uids WHERE uid IN $people) OR n.participant_uid IN $seats OR n.uid IN $decided) END
WITH collect(DISTINCT n) AS found
WITH found, [n IN found | labels(n)[0]] AS labels,
     COLLECT {
       UNWIND found AS n
       MATCH (n)-[r]-()
       WITH DISTINCT r
       WITH type(r) AS type, collect(id(r)) AS ids
       RETURN {type: type, ids: ids}
     } AS edges,
     [n IN found WHERE n.arguments_blob IS NOT NULL | {sha256: n.arguments_blob, subject_uids: n.subject_uids}]
     + [n IN found WHERE n.result_blob IS NOT NULL | {sha256: n.result_blob, subject_uids: n.subject_uids}] AS blobs
FOREACH (n IN CASE WHEN $erase THEN found ELSE [] END | DETACH DELETE n)
RETURN labels, edges, blobs
