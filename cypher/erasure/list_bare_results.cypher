// List the memories that others have a part in of results whose call goes with people, in stretches of branches, with the
// results.
// scope: tenant · access: read · index: tool_call_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str]
// returns: uid: str, artifact: map (many)
UNWIND $stretches AS s
MATCH (c:ToolCall)
WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling
WITH c
WHERE c.tenant_id = $tenant_id AND any(uid IN c.subject_uids WHERE uid IN $people)
  AND (all(uid IN c.subject_uids WHERE uid IN $people) OR coalesce(c.participant_uid IN $seats, false))
MATCH (c)-[:RESULTED_IN]->(a:ToolArtifact)<-[:DERIVED_FROM]-(m:ToolMemory)
WHERE any(uid IN m.subject_uids WHERE NOT uid IN $people)
RETURN m.uid AS uid, properties(a) AS artifact
