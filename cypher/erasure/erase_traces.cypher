// Erase what people's own conversations left beside their items: assemblies with their decisions, compactions, decisions on
// turns, and answers kept for a repetition. Without `erase` only say what would go.
// scope: tenant · access: write · index: context_assembly_place, compaction_place, idempotency_record_place, policy_decision_branch
// params: tenant_id: str, branch_refs: list[int], passed: int, limit: int, erase: bool
// returns: labels: list[str], edges: list[map] (one)
// eager: at most the limit's rows
CALL () {
  UNWIND $branch_refs AS ref
  MATCH (n:ContextAssembly)
  WHERE n.branch_ref = ref AND n.created_at IS NOT NULL
  RETURN n
UNION ALL
  UNWIND $branch_refs AS ref
  MATCH (n:Compaction)
  WHERE n.branch_ref = ref AND n.seq > 0
  RETURN n
UNION ALL
  UNWIND $branch_refs AS ref
  MATCH (n:PolicyDecision)
  WHERE n.branch_ref = ref AND n.seq IS NULL // those of a release go with its event
  RETURN n
UNION ALL
  UNWIND $branch_refs AS ref
  MATCH (n:IdempotencyRecord)
  WHERE n.branch_ref = ref
  RETURN n
}
WITH n
WHERE n.tenant_id = $tenant_id
SKIP $passed
LIMIT $limit
CALL (n) {
  RETURN n AS one
UNION
  MATCH (n)-[:DECIDED_BY]->(one:PolicyDecision)
  RETURN one
}
WITH collect(DISTINCT one) AS found
WITH found, [n IN found | labels(n)[0]] AS labels,
     COLLECT {
       UNWIND found AS n
       MATCH (n)-[r]-()
       WITH DISTINCT r
       WITH type(r) AS type, collect(id(r)) AS ids
       RETURN {type: type, ids: ids}
     } AS edges
FOREACH (n IN CASE WHEN $erase THEN found ELSE [] END | DETACH DELETE n)
RETURN labels, edges
