// Say for each conversation of people from which seq on it holds data of them; none where it holds no event of theirs.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, people: list[str], branches: list[map]
// returns: conversation_uid: str, since: int (many)
// eager: at most a page of conversations
UNWIND $branches AS b
CALL (b) {
  MATCH (e:Event)
  WHERE e.branch_ref = b.branch_ref AND e.seq > 0
  WITH e
  ORDER BY e.branch_ref, e.seq
  WHERE e.tenant_id = $tenant_id AND any(uid IN e.subject_uids WHERE uid IN $people)
  RETURN e.seq AS seq
  LIMIT 1
}
RETURN b.conversation_uid AS conversation_uid, min(seq) AS since
