// Record a decision, once for all that it is taken on, and answer the one that stands.
// scope: tenant · access: write · index: policy_decision_key
// params: tenant_id: str, decision_key: str, decision: map
// returns: uid: str, decided_at: datetime (one)
// eager: one decision; a map may set any property, which the planner must assume
MERGE (d:PolicyDecision {tenant_id: $tenant_id, decision_key: $decision_key})
ON CREATE SET d += $decision
RETURN d.uid AS uid, d.decided_at AS decided_at
