// Connect user memories with what they supersede, what supersedes or contradicts them, and the messages they were said in.
// scope: tenant · access: write · index: user_memory_uid, message_uid
// params: tenant_id: str, memory_links: list[map]
// returns: (none)
// eager: at most a batch of rows, each with the few links that an event may have
UNWIND $memory_links AS row
MATCH (m:UserMemory {uid: row.uid})
WHERE m.tenant_id = $tenant_id
CALL (m, row) {
  UNWIND row.supersedes AS uid
  MATCH (o:UserMemory {uid: uid})
  WHERE o.tenant_id = m.tenant_id
  CREATE (m)-[:SUPERSEDES]->(o)
}
CALL (m, row) {
  UNWIND row.superseded_by AS uid
  MATCH (o:UserMemory {uid: uid})
  WHERE o.tenant_id = m.tenant_id
  CREATE (o)-[:SUPERSEDES]->(m)
}
CALL (m, row) {
  UNWIND row.conflicts_with AS uid
  MATCH (o:UserMemory {uid: uid})
  WHERE o.tenant_id = m.tenant_id
  CREATE (m)-[:CONFLICTS_WITH]->(o)
}
CALL (m, row) {
  UNWIND row.message_uids AS uid
  MATCH (s:Message {uid: uid})
  WHERE s.tenant_id = m.tenant_id
  CREATE (m)-[:DERIVED_FROM]->(s)
}
