// List what was told of messages and events that hold data of people and of others too: what was learned from these messages, and
// the summaries of releases in stretches of branches.
// scope: tenant · access: read · index: message_uid, policy_decision_place, event_place
// params: tenant_id: str, stretches: list[map], people: list[str], messages: list[str]
// returns: uid: str, label: str, kept: map (many)
// eager: at most one stretch's items
CALL () {
  UNWIND $messages AS uid
  MATCH (m:Message {uid: uid})
  MATCH (n:Query|Response)-[:DERIVED_FROM]->(m)
  RETURN n
UNION
  UNWIND $stretches AS s
  MATCH (n:PolicyDecision)
  USING INDEX n:PolicyDecision(branch_ref, seq)
  WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling
  MATCH (e:Event {branch_ref: n.branch_ref, seq: n.seq})
  USING INDEX e:Event(branch_ref, seq)
  WHERE n.summary IS NOT NULL AND any(uid IN e.subject_uids WHERE uid IN $people)
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
RETURN n.uid AS uid, labels(n)[0] AS label, properties(n) AS kept
