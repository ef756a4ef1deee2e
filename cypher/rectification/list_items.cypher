// List the items that events at some places made and that can be put right.
// scope: tenant · access: read · index: message_place, claim_place, user_memory_place, pin_place, working_memory_place
// params: tenant_id: str, places: list[map]
// returns: event_uid: str, label: str, kept: map (many)
UNWIND $places AS row
CALL (row) {
  MATCH (n:Message)
  WHERE n.branch_ref = row.branch_ref AND n.seq = row.seq
  RETURN n
UNION ALL
  MATCH (n:Claim)
  WHERE n.branch_ref = row.branch_ref AND n.seq = row.seq
  RETURN n
UNION ALL
  MATCH (n:UserMemory)
  WHERE n.branch_ref = row.branch_ref AND n.seq = row.seq
  RETURN n
UNION ALL
  MATCH (n:Pin)
  WHERE n.branch_ref = row.branch_ref AND n.seq = row.seq
  RETURN n
UNION ALL
  MATCH (n:WorkingMemory)
  WHERE n.branch_ref = row.branch_ref AND n.seq = row.seq
  RETURN n
}
WITH row, n
WHERE n.tenant_id = $tenant_id
RETURN row.event_uid AS event_uid, labels(n)[0] AS label, properties(n) AS kept
