// List what a summary line stands for, through all that it folded, by event, oldest first: messages and tool memories.
// Narrows by nothing; policies/visibility.py and policies/attribution.py decide. The limit is one of events.
// scope: tenant · access: read · index: tenant_key, summary_line_uid, event_place
// params: tenant_id: str, uid: str, participant_uid: str, after_seq: int, limit: int
// returns: uid: str, kind: str, branch_ref: int, seq: int, message_id: str | None, artifact_uid: str | None, text: str, event_uid: str, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], releases: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (l:SummaryLine {uid: $uid})
WHERE l.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN l.subject_uids WHERE who IN hidden))
MATCH (l)-[:FOLDS*0..]->(:SummaryLine)-[:SUMMARISES]->(n)
WITH n, hidden
WHERE n.seq > $after_seq AND (hidden IS NULL OR none(who IN n.subject_uids WHERE who IN hidden))
WITH n.branch_ref AS branch_ref, n.seq AS seq, collect(DISTINCT n) AS items
ORDER BY seq
LIMIT $limit
MATCH (e:Event {branch_ref: branch_ref, seq: seq})
UNWIND items AS n
RETURN n.uid AS uid, labels(n)[0] AS kind, branch_ref, seq, n.message_id AS message_id, n.artifact_uid AS artifact_uid,
       coalesce(n.text, n.headline) AS text, e.uid AS event_uid, n.participant_uid AS participant_uid,
       n.visibility AS visibility, n.privacy_class AS privacy_class, n.shared_with AS shared_with,
       COLLECT {
         MATCH (n)-[r:SHARED_WITH]->(:Participant {uid: $participant_uid})
         RETURN r {.branch_ref, .seq}
       } AS releases
ORDER BY seq
