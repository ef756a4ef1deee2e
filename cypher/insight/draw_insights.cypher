// End insights that hold no longer, prolong those that do by who asked by now, and make new ones with what they were drawn from.
// scope: tenant · access: write · index: insight_uid, query_uid, product_uid
// params: tenant_id: str, now: datetime, ended_uids: list[str], prolonged: list[map], valid_until: datetime, insights: list[map]
// returns: (none)
// eager: at most a few insights
CALL () {
  UNWIND $ended_uids AS uid
  MATCH (i:Insight {uid: uid})
  WHERE i.tenant_id = $tenant_id
  SET i.valid_until = $now
}
CALL () {
  UNWIND $prolonged AS row
  MATCH (i:Insight {uid: row.uid})
  WHERE i.tenant_id = $tenant_id
  SET i.valid_until = $valid_until, i.asker_count = row.asker_count
}
UNWIND $insights AS row
CALL (row) {
  MATCH (n:Query {uid: row.source_uid})
  RETURN n
UNION
  MATCH (n:Product {uid: row.source_uid})
  RETURN n
}
WITH row, n
WHERE n.tenant_id = $tenant_id
CREATE (i:Insight)-[:DERIVED_FROM]->(n)
SET i = row.properties, i.tenant_id = $tenant_id, i.recorded_at = $now, i.valid_until = $valid_until
