// Read what was learned from a message, as a question or as an answer: queries and responses with what they lead to.
// scope: tenant · access: read · index: tenant_key, message_key
// params: tenant_id: str, message_id: str, limit: int
// returns: active_version: int, queued_at: datetime | None, queries: list[map], responses: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t, t.hidden_uids AS hidden
MATCH (m:Message {tenant_id: $tenant_id, message_id: $message_id})
WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
RETURN coalesce(t.active_version, 0) AS active_version, m.queued_at AS queued_at,
       COLLECT {
         MATCH (m)<-[:DERIVED_FROM]-(q:Query)
         WHERE (hidden IS NULL OR none(who IN q.subject_uids WHERE who IN hidden))
         RETURN q {.uid, .text,
                   edges: COLLECT {
                     MATCH (q)-[e:SEARCHED_FOR|ASKED_ABOUT|ANSWERED_BY]->(n)
                     WHERE hidden IS NULL OR n.user_uid IS NULL OR NOT n.user_uid IN hidden
                     RETURN {relationship: type(e), label: labels(n)[0], uid: n.uid, title: n.title,
                             initial_weight: e.initial_weight, strengthened_ms: e.strengthened_at.epochMillis}
                     ORDER BY e.strengthened_at DESC
                     LIMIT $limit
                   }}
       } AS queries,
       COLLECT {
         MATCH (m)<-[:DERIVED_FROM]-(r:Response)
         WHERE (hidden IS NULL OR none(who IN r.subject_uids WHERE who IN hidden))
         RETURN r {.uid, .text,
                   edges: COLLECT {
                     MATCH (r)-[e:CITED|USED_TOOL]->(n)
                     RETURN {relationship: type(e), label: labels(n)[0], uid: n.uid,
                             title: coalesce(n.title, n.tool_name), initial_weight: e.initial_weight,
                             strengthened_ms: e.strengthened_at.epochMillis}
                     LIMIT $limit
                   }}
       } AS responses
