// List the insights of a tenant that hold at a moment, with what each was drawn from.
// scope: tenant · access: read · index: tenant_key, insight_valid_until
// params: tenant_id: str, now: datetime, limit: int
// returns: uid: str, insight_kind: str, text: str, rank: int, asker_count: int, node_count: int, privacy_class: str, source_uids: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (i:Insight)
WHERE i.tenant_id = $tenant_id AND i.valid_until > $now AND i.recorded_at <= $now
  AND (hidden IS NULL OR NOT EXISTS {
    MATCH (i)-[:DERIVED_FROM]->(q:Query)
    WHERE any(who IN q.subject_uids WHERE who IN hidden)
  })
RETURN i.uid AS uid, i.insight_kind AS insight_kind, i.text AS text, i.rank AS rank, i.asker_count AS asker_count,
       i.node_count AS node_count, i.privacy_class AS privacy_class,
       COLLECT {
         MATCH (i)-[:DERIVED_FROM]->(n)
         RETURN n.uid
       } AS source_uids
ORDER BY i.insight_kind, i.rank
LIMIT $limit
