// List messages of stretches of a lineage, oldest first, for a summary: the first characters of each, what governs it, and to
// whom a release let it out.
// Narrows by lineage only; the summary decides what to tell.
// scope: tenant · access: read · index: tenant_key, message_place
// params: tenant_id: str, stretches: list[map], chars_max: int, limit: int
// returns: uid: str, branch_ref: int, seq: int, role: str, text: str, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], subject_uids: list[str], releases: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
MATCH (m:Message)
WHERE m.branch_ref = s.branch_ref AND m.seq > s.floor AND m.seq <= s.ceiling AND m.tenant_id = $tenant_id
  AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
WITH m
ORDER BY m.seq
LIMIT $limit
RETURN m.uid AS uid, m.branch_ref AS branch_ref, m.seq AS seq, m.role AS role, left(m.text, $chars_max) AS text,
       m.participant_uid AS participant_uid, m.visibility AS visibility, m.privacy_class AS privacy_class,
       m.shared_with AS shared_with, m.subject_uids AS subject_uids,
       COLLECT {
         MATCH (m)-[r:SHARED_WITH]->(p:Participant)
         RETURN {participant_uid: p.uid, branch_ref: r.branch_ref, seq: r.seq}
       } AS releases
ORDER BY seq
