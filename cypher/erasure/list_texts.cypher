// List the items and events of stretches of branches that name people: the beginnings of what they say and the client's ids that
// they have, whether all of it goes, and whether it is told again from what is left.
// scope: tenant · access: read · index: message_place, model_run_place, tool_call_place, tool_artifact_call_place, tool_memory_place, user_memory_place, claim_place, pin_place, skill_state_place, working_memory_place, continuation_checkpoint_place, event_place, compaction_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str], chars_max: int
// returns: uid: str, goes: bool, retold: bool, client_id: str | None, text: str | None (many)
// eager: at most one stretch's items
UNWIND $stretches AS s
CALL (s) {
  MATCH (n:Message)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.message_id AS client_id, n.text AS text
UNION ALL
  MATCH (n:ModelRun)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.run_id AS client_id, n.error AS text
UNION ALL
  MATCH (n:ToolCall)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.call_id AS client_id, n.arguments AS text
UNION ALL
  MATCH (n:ToolArtifact)
  WHERE n.branch_ref = s.branch_ref AND n.call_seq > s.floor AND n.call_seq <= s.ceiling
  RETURN n, null AS client_id, n.result AS text
UNION ALL
  MATCH (n:ToolMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, null AS client_id, null AS text
UNION ALL
  MATCH (n:UserMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.memory_id AS client_id, n.value AS text
UNION ALL
  MATCH (n:Claim)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.claim_id AS client_id, n.text AS text
UNION ALL
  MATCH (n:Pin)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.pin_id AS client_id, n.text AS text
UNION ALL
  MATCH (n:SkillState)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, null AS client_id, null AS text
UNION ALL
  MATCH (n:WorkingMemory)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, null AS client_id, n.block AS text
UNION ALL
  MATCH (n:ContinuationCheckpoint)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, n.checkpoint_id AS client_id, null AS text
UNION ALL
  MATCH (n:Event)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  RETURN n, null AS client_id, null AS text
UNION ALL
  MATCH (c:Compaction)
  WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling
  MATCH (c)-[:HAS_LINE]->(n:SummaryLine)
  RETURN n, null AS client_id, null AS text
}
WITH s, n, client_id, text
WHERE n.tenant_id = $tenant_id AND (any(uid IN n.subject_uids WHERE uid IN $people) OR s.whole AND size(n.subject_uids) = 0)
RETURN n.uid AS uid, s.whole OR all(uid IN n.subject_uids WHERE uid IN $people) OR coalesce(n.participant_uid IN $seats, false) AS goes,
       n:SummaryLine OR EXISTS { (n)-[:REDACTS*0..]->(:Event {kind: 'compaction'}) } AS retold, client_id, left(text, $chars_max) AS text
