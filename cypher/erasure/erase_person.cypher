// Take from people what names them, and their edges to what they rated, booked or looked at; the pseudonym stays.
// scope: tenant · access: write · index: user_uid
// params: tenant_id: str, people: list[str], now: datetime, erase: bool
// returns: names: int, edges: list[map], rated: list[str] (one)
// eager: at most a person's edges
UNWIND $people AS uid
MATCH (u:User {uid: uid})
WHERE u.tenant_id = $tenant_id
WITH collect(u) AS found
WITH found, size(found) AS names,
     COLLECT {
       UNWIND found AS u
       MATCH (u)-[r:RATED|BOOKED|VIEWED|SAME_AS]-()
       RETURN DISTINCT r
     } AS links,
     COLLECT {
       UNWIND found AS u
       MATCH (u)-[:RATED]->(m:Message)
       RETURN DISTINCT m.uid
     } AS rated
WITH found, names, links, rated,
     COLLECT {
       UNWIND links AS r
       WITH type(r) AS type, collect(id(r)) AS ids
       RETURN {type: type, ids: ids}
     } AS edges
FOREACH (r IN CASE WHEN $erase THEN links ELSE [] END | DELETE r)
FOREACH (u IN CASE WHEN $erase THEN found ELSE [] END |
  SET u.erased_at = coalesce(u.erased_at, $now)
  REMOVE u.user_id, u.aliases, u.remembered_at, u.restricted_at)
RETURN names, edges, rated
