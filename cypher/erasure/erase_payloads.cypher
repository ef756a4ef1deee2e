// Destroy the payloads of events of people in stretches of branches; the envelopes stay and name what destroyed them. With
// them goes what a release told of a subagent. Without `erase` only say what would go.
// scope: tenant · access: write · index: event_place, policy_decision_place
// params: tenant_id: str, stretches: list[map], people: list[str], seats: list[str], decided: list[str], erased_by: str, erase: bool
// returns: events: int, payloads: int, decisions: int, edges: list[map] (one)
// eager: at most one stretch's events
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH s, e
WHERE e.tenant_id = $tenant_id AND e.erased_by IS NULL
  AND CASE WHEN size(e.subject_uids) = 0 THEN s.whole
      ELSE any(uid IN e.subject_uids WHERE uid IN $people)
        AND (s.whole OR all(uid IN e.subject_uids WHERE uid IN $people) OR e.actor_uid IN $seats OR e.uid IN $decided) END
OPTIONAL MATCH (e)-[:HAS_PAYLOAD]->(p:Payload)
OPTIONAL MATCH (e)-[:REDACTS*0..64]->(said:Event)
WHERE NOT EXISTS { (said)-[:REDACTS]->() }
OPTIONAL MATCH (d:PolicyDecision)
USING INDEX d:PolicyDecision(branch_ref, seq)
WHERE d.branch_ref = said.branch_ref AND d.seq = said.seq AND d.tenant_id = $tenant_id
WITH collect(DISTINCT e) AS events, collect(DISTINCT p) AS payloads, collect(DISTINCT d) AS decisions
WITH events, payloads, decisions, size(payloads) AS payload_count, size(decisions) AS decision_count,
     COLLECT {
       UNWIND payloads + decisions AS n
       MATCH (n)-[r]-()
       WITH DISTINCT r
       WITH type(r) AS type, collect(id(r)) AS ids
       RETURN {type: type, ids: ids}
     } AS edges
FOREACH (e IN CASE WHEN $erase THEN events ELSE [] END | SET e.erased_by = $erased_by)
FOREACH (n IN CASE WHEN $erase THEN payloads + decisions ELSE [] END | DETACH DELETE n)
RETURN size(events) AS events, payload_count AS payloads, decision_count AS decisions, edges
