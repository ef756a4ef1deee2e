// Keep what a user thinks of an answer, in place of what that user thought before, and list the edges that lead to the
// answer with all ratings of it. The first SET takes the message's lock, so that ratings of an answer come one after the
// other, the last one the query's, so that nobody else sets a weight meanwhile.
// scope: tenant · access: write · index: tenant_key, message_key, user_uid, response_key
// params: tenant_id: str, message_id: str, user_uid: str, rating: str, recorded_at: datetime
// returns: active_version: int, role: str, ratings: list[str], edge_id: str | None, strengthened_at: datetime | None, weighed_at: datetime | None (many)
// eager: one message; its ratings are read after this one was written
MATCH (t:Tenant {tenant_id: $tenant_id})
MATCH (m:Message {tenant_id: $tenant_id, message_id: $message_id})
SET m.tenant_id = $tenant_id
WITH t, m
MATCH (u:User {uid: $user_uid})
WHERE u.tenant_id = $tenant_id
MERGE (u)-[o:RATED]->(m)
SET o.rating = $rating, o.recorded_at = $recorded_at
WITH t, m, COLLECT {
  MATCH (:User)-[all:RATED]->(m)
  RETURN all.rating
} AS ratings
OPTIONAL MATCH (r:Response {tenant_id: $tenant_id, message_uid: m.uid})<-[a:ANSWERED_BY]-(q:Query)
SET q.tenant_id = $tenant_id
WITH t, m, ratings, a
RETURN coalesce(t.active_version, 0) AS active_version, m.role AS role, ratings, elementId(a) AS edge_id,
       a.strengthened_at AS strengthened_at, a.weighed_at AS weighed_at
LIMIT 10
