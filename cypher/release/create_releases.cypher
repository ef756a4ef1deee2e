// Record release decisions, and share what they release: named messages, memories of named calls, or else the
// subagent's last message. A row has the stretches of its lineage: what stands elsewhere, or comes later, is not
// released.
// scope: tenant · access: write · index: participant_uid, message_uid, tool_call_uid, message_place
// params: tenant_id: str, releases: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $releases AS row
CREATE (d:PolicyDecision)
SET d = row.properties, d.tenant_id = $tenant_id
WITH row, d
UNWIND row.properties.to_uids AS to_uid
MATCH (p:Participant {uid: to_uid})
WHERE p.tenant_id = $tenant_id
CALL (row, d) {
  UNWIND row.message_uids AS uid
  MATCH (n:Message {uid: uid})
  WHERE n.tenant_id = d.tenant_id
  RETURN n
UNION
  UNWIND row.call_uids AS uid
  MATCH (t:ToolCall {uid: uid})
  WHERE t.tenant_id = d.tenant_id
  MATCH (t)-[:RESULTED_IN]->(:ToolArtifact)<-[:DERIVED_FROM]-(n:ToolMemory)
  WHERE n.seq < d.seq
    AND any(s IN row.stretches WHERE s.branch_ref = n.branch_ref AND s.floor < n.seq AND n.seq <= s.ceiling)
  RETURN n
UNION
  UNWIND CASE WHEN row.last_words THEN row.stretches ELSE [] END AS s
  CALL (s, d) {
    MATCH (n:Message)
    WHERE n.branch_ref = s.branch_ref AND n.seq > s.floor AND n.seq <= s.ceiling AND n.seq < d.seq
      AND n.participant_uid = d.participant_uid
    RETURN n
    ORDER BY n.branch_ref DESC, n.seq DESC // the index gives this order: reading stops at the first
    LIMIT 1
  }
  RETURN n
  ORDER BY n.seq DESC
  LIMIT 1
}
CREATE (n)-[:SHARED_WITH {branch_ref: d.branch_ref, seq: d.seq}]->(p)
