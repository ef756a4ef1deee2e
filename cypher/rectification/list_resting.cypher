// List the events of claims and user memories that rest on messages, tool memories or results: they say what they say by themselves.
// scope: tenant · access: read · index: message_uid, tool_artifact_uid, event_place
// params: tenant_id: str, uids: list[str]
// returns: uid: str (many)
UNWIND $uids AS uid
CALL (uid) {
  MATCH (n:Message {uid: uid})
  RETURN n
UNION
  MATCH (n:ToolArtifact {uid: uid})
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
MATCH (n)<-[:RESTS_ON|DERIVED_FROM]-(o:Claim|UserMemory)
WITH DISTINCT o
MATCH (e:Event {branch_ref: o.branch_ref, seq: o.seq})
WHERE e.tenant_id = $tenant_id
RETURN e.uid AS uid
ORDER BY uid
