// List the items of stretches of branches that hold data of people and of others too, and are not the people's own: neither did
// a seat of theirs write it, nor is it a memory about them. `about` says that it is such a memory, which goes as a whole.
// scope: tenant · access: read · index: message_place, model_run_place, tool_call_place, tool_artifact_call_place, tool_memory_place, user_memory_place, claim_place, pin_place, skill_state_place, working_memory_place, continuation_checkpoint_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str]
// returns: uid: str, label: str, branch_ref: int, seq: int, about: bool, kept: map (many)
// eager: at most one stretch's items
UNWIND $stretches AS s
CALL (s) {
  MATCH (n:Message)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:ModelRun)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:ToolCall)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:ToolArtifact)
  WHERE n.branch_ref = s.branch_ref AND n.call_seq > s.floor AND n.call_seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:ToolMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:UserMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.user_uid IN $people AS about
UNION ALL
  MATCH (n:Claim)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:Pin)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:SkillState)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:WorkingMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
UNION ALL
  MATCH (n:ContinuationCheckpoint)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, false AS about
}
WITH n, about
WHERE n.tenant_id = $tenant_id AND any(uid IN n.subject_uids WHERE uid IN $people)
  AND NOT all(uid IN n.subject_uids WHERE uid IN $people) AND NOT coalesce(n.participant_uid IN $seats, false)
RETURN n.uid AS uid, labels(n)[0] AS label, n.branch_ref AS branch_ref, coalesce(n.seq, n.result_seq, n.call_seq) AS seq, about, properties(n) AS kept
