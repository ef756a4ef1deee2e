// Delete what is a tenant's of the nodes with these of the database's own numbers, with its edges. Without `erase` only say
// what would go; an edge is counted at its start then.
// scope: tenant · access: write · index: none (nodes by their numbers)
// params: tenant_id: str, numbers: list[int], erase: bool
// returns: labels: list[map], edges: list[map], request_uids: list[str] (one)
// eager: at most one batch's nodes; all are found before the first is deleted
UNWIND $numbers AS number
MATCH (n)
WHERE id(n) = number AND n.tenant_id = $tenant_id
WITH collect(n) AS owned
WITH owned,
     COLLECT {
       UNWIND owned AS n
       WITH labels(n)[0] AS label, count(*) AS number
       RETURN {name: label, number: number}
     } AS labels,
     COLLECT {
       UNWIND owned AS n
       MATCH (n)-[r]-()
       WITH DISTINCT n, r
       WHERE $erase OR startNode(r) = n
       WITH DISTINCT r
       WITH type(r) AS type, count(r) AS number
       RETURN {name: type, number: number}
     } AS edges,
     [n IN owned WHERE n:PrivacyRequest | n.uid] AS request_uids
FOREACH (n IN CASE WHEN $erase THEN owned ELSE [] END | DETACH DELETE n)
RETURN labels, edges, request_uids
