// List messages of stretches of a lineage, oldest first, with who said them and where they were released to the asker.
// Narrows by lineage only; policies/visibility.py and policies/attribution.py decide.
// scope: tenant · access: read · index: tenant_key, message_place, participant_uid
// params: tenant_id: str, stretches: list[map], participant_uid: str, limit: int
// returns: uid: str, message_id: str, branch_ref: int, seq: int, role: str, text: str, parts: str | None, occurred_at: datetime, recorded_at: datetime, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], participant_id: str, participant_kind: str, display_name: str | None, redacted_by: str | None, releases: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $stretches AS s
MATCH (m:Message)
WHERE m.branch_ref = s.branch_ref AND m.seq > s.floor AND m.seq <= s.ceiling AND m.tenant_id = $tenant_id
  AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
WITH m, hidden
ORDER BY m.seq
LIMIT $limit
MATCH (p:Participant {uid: m.participant_uid})
RETURN m.uid AS uid, m.message_id AS message_id, m.branch_ref AS branch_ref, m.seq AS seq, m.role AS role,
       m.text AS text, m.parts AS parts, m.occurred_at AS occurred_at, m.recorded_at AS recorded_at,
       m.participant_uid AS participant_uid, m.visibility AS visibility,
       m.privacy_class AS privacy_class, m.shared_with AS shared_with, CASE WHEN p.user_uid IN hidden THEN p.uid ELSE p.participant_id END AS participant_id,
       p.participant_kind AS participant_kind, CASE WHEN p.user_uid IN hidden THEN null ELSE p.display_name END AS display_name,
       head(COLLECT {
         MATCH (e:Event)
         USING INDEX e:Event(branch_ref, seq)
         WHERE e.branch_ref = m.branch_ref AND e.seq = m.seq
         MATCH (r:Event)-[:REDACTS*1..64]->(e)
         WHERE NOT EXISTS { (r)<-[:REDACTS]-() }
         RETURN r.uid
         LIMIT 1
       }) AS redacted_by,
       COLLECT {
         MATCH (m)-[r:SHARED_WITH]->(:Participant {uid: $participant_uid})
         RETURN r {.branch_ref, .seq}
       } AS releases
ORDER BY seq
