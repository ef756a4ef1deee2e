// List a tenant's queries, last asked first: who asked (users, or conversations that name none), what their answers count
// before they age, and the products they name.
// scope: tenant · access: read · index: query_asked_at, participant_uid
// params: tenant_id: str, limit: int
// returns: uid: str, text: str, privacy_class: str, askers: list[str], answer_weights: list[float], searched: list[map] (many)
MATCH (q:Query)
WHERE q.tenant_id = $tenant_id AND q.asked_at IS NOT NULL
WITH q
ORDER BY q.tenant_id DESC, q.asked_at DESC // the index gives this order: no more than the limit is read
LIMIT $limit
RETURN q.uid AS uid, q.text AS text, q.privacy_class AS privacy_class,
       COLLECT {
         MATCH (q)-[:DERIVED_FROM]->(m:Message)
         MATCH (p:Participant {uid: m.participant_uid})
         RETURN DISTINCT coalesce(p.user_uid, m.conversation_uid)
       } AS askers,
       COLLECT {
         MATCH (q)-[a:ANSWERED_BY]->(:Response)
         RETURN a.initial_weight
       } AS answer_weights,
       COLLECT {
         MATCH (q)-[e:SEARCHED_FOR]->(p:Product)
         RETURN {uid: p.uid, title: p.title, initial_weight: e.initial_weight,
                 strengthened_ms: e.strengthened_at.epochMillis}
       } AS searched
