// Write a reviewer's decision on a learning candidate, and where it stands after it.
// scope: tenant · access: write · index: learning_candidate_uid
// params: tenant_id: str, candidate_id: str, changes: map, decision: map
// returns: (none)
// eager: one row; a map may set any property, which the planner must assume
MATCH (k:LearningCandidate {uid: $candidate_id})
WHERE k.tenant_id = $tenant_id
SET k += $changes
CREATE (k)-[:DECIDED_BY]->(d:ReviewDecision)
SET d = $decision, d.tenant_id = $tenant_id
