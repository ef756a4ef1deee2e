// List a tenant's queries, last asked first: who asked (users, or conversations that name none), what their answers count
// before they age, and the products they name.
// scope: tenant · access: read · index: tenant_key, query_asked_at, participant_uid
// params: tenant_id: str, limit: int
// returns: uid: str, text: str, privacy_class: str, askers: list[str], answer_weights: list[float], searched: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (q:Query)
WHERE q.tenant_id = $tenant_id AND q.asked_at IS NOT NULL AND (hidden IS NULL OR none(who IN q.subject_uids WHERE who IN hidden))
WITH q, hidden
ORDER BY q.tenant_id DESC, q.asked_at DESC // the index gives this order: no more than the limit is read
LIMIT $limit
RETURN q.uid AS uid, q.text AS text, q.privacy_class AS privacy_class,
       COLLECT {
         MATCH (q)-[:DERIVED_FROM]->(m:Message)
         MATCH (p:Participant {uid: m.participant_uid})
         RETURN DISTINCT coalesce(p.user_uid, m.conversation_uid)
       } AS askers,
       COLLECT {
         MATCH (q)-[a:ANSWERED_BY]->(r:Response)
         WHERE (hidden IS NULL OR none(who IN r.subject_uids WHERE who IN hidden))
         RETURN a.initial_weight
       } AS answer_weights,
       COLLECT {
         MATCH (q)-[e:SEARCHED_FOR]->(p:Product)
         RETURN {uid: p.uid, title: p.title, initial_weight: e.initial_weight,
                 strengthened_ms: e.strengthened_at.epochMillis}
       } AS searched
