// List learning candidates, newest first, that match what is asked for.
// scope: tenant · access: read · index: tenant_key, learning_candidate_created_at, judgement_answer, message_uid
// params: tenant_id: str, before: datetime, state: str | None, failure_class: str | None, assignee: str | None, limit: int
// returns: candidate_id: str, state: str, version: int, failure_class: str, assignee: str | None, message_id: str, composite: float | None, feedback: str | None, created_at: datetime (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (k:LearningCandidate {tenant_id: $tenant_id})
WHERE k.created_at < $before
WITH k, hidden
WHERE (hidden IS NULL OR none(who IN k.subject_uids WHERE who IN hidden))
  AND ($state IS NULL OR k.state = $state)
  AND ($failure_class IS NULL OR k.failure_class = $failure_class)
  AND ($assignee IS NULL OR k.assignee = $assignee)
WITH k
ORDER BY k.tenant_id DESC, k.created_at DESC // the index gives this order: reading stops at the limit
LIMIT $limit
MATCH (m:Message {uid: k.message_uid})
OPTIONAL MATCH (j:Judgement {message_uid: k.message_uid})
RETURN k.uid AS candidate_id, k.state AS state, k.version AS version, k.failure_class AS failure_class,
       k.assignee AS assignee, m.message_id AS message_id, j.composite AS composite, j.feedback AS feedback,
       k.created_at AS created_at
ORDER BY created_at DESC
