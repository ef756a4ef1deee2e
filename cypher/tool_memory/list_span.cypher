// List tool memories of stretches of a lineage, oldest first, for a summary: headlines, what governs them, and to whom a
// release let them out.
// Narrows by lineage only; the summary decides what to tell.
// scope: tenant · access: read · index: tenant_key, tool_memory_place
// params: tenant_id: str, stretches: list[map], limit: int
// returns: uid: str, branch_ref: int, seq: int, headline: str, call_status: str, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], subject_uids: list[str], releases: list[map] (many)
MATCH (o:Tenant {tenant_id: $tenant_id})
WITH o.hidden_uids AS hidden
UNWIND $stretches AS s
MATCH (t:ToolMemory)
WHERE t.branch_ref = s.branch_ref AND t.seq > s.floor AND t.seq <= s.ceiling AND t.tenant_id = $tenant_id
  AND (hidden IS NULL OR none(who IN t.subject_uids WHERE who IN hidden)) AND t.retained_as IS NULL
WITH t
ORDER BY t.seq, t.part
LIMIT $limit
RETURN t.uid AS uid, t.branch_ref AS branch_ref, t.seq AS seq, t.headline AS headline, t.call_status AS call_status,
       t.participant_uid AS participant_uid, t.visibility AS visibility, t.privacy_class AS privacy_class,
       t.shared_with AS shared_with, t.subject_uids AS subject_uids,
       COLLECT {
         MATCH (t)-[r:SHARED_WITH]->(p:Participant)
         RETURN {participant_uid: p.uid, branch_ref: r.branch_ref, seq: r.seq}
       } AS releases
ORDER BY seq
