// Delete a tenant and its API keys: from here on nobody is let in, and what reads by the tenant finds nothing.
// scope: tenant · access: write · index: none (few keys, whatever their tenant)
// params: tenant_id: str
// returns: labels: list[map], edges: list[map] (one)
// eager: one tenant's keys
CALL () {
  MATCH (n:Tenant {tenant_id: $tenant_id})
  RETURN n
UNION
  MATCH (n:ApiKey)
  WHERE n.tenant_id = $tenant_id
  RETURN n
}
WITH collect(n) AS found
WITH found,
     COLLECT {
       UNWIND found AS n
       WITH labels(n)[0] AS label, count(*) AS number
       RETURN {name: label, number: number}
     } AS labels,
     COLLECT {
       UNWIND found AS n
       MATCH (n)-[r]-()
       WITH DISTINCT r
       WITH type(r) AS type, count(r) AS number
       RETURN {name: type, number: number}
     } AS edges
FOREACH (n IN found | DETACH DELETE n)
RETURN labels, edges
