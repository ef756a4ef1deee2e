// List a tenant's newest approvals and rejections of learning candidates, newest first, with the threshold of their time.
// scope: tenant · access: read · index: review_decision_decided_at
// params: tenant_id: str, limit: int
// returns: action: str, threshold: float, threshold_start: float (many)
MATCH (d:ReviewDecision {tenant_id: $tenant_id})
WHERE d.decided_at IS NOT NULL
WITH d
WHERE d.threshold IS NOT NULL
RETURN d.action AS action, d.threshold AS threshold, d.threshold_start AS threshold_start
ORDER BY d.tenant_id DESC, d.decided_at DESC // the index gives this order: reading stops at the limit
LIMIT $limit
