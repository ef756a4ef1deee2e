// Find assembly records that were made before a time, oldest first, with the claims that rest on what was made from them.
// With `lock` they stay as they are until the transaction ends.
// scope: tenant · access: write · index: tenant_key, context_assembly_created_at, conversation_uid
// params: tenant_id: str, before: datetime, passed: int, limit: int, lock: bool
// returns: uid: str, recorded_at: datetime, people: list[str], restricted: bool, referrers: list[map] (many)
// eager: at most the limit's rows; what refers to a node must be read after its lock was taken
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (n:ContextAssembly)
WHERE n.tenant_id = $tenant_id AND n.created_at < $before
WITH hidden, n
ORDER BY n.tenant_id, n.created_at
SKIP $passed
LIMIT $limit
WITH hidden, collect(n) AS found
FOREACH (n IN CASE WHEN $lock THEN found ELSE [] END | SET n.tenant_id = $tenant_id)
WITH hidden, found
UNWIND found AS n
WITH n, hidden, COLLECT {
       MATCH (c:Conversation {uid: n.conversation_uid})
       WHERE c.user_uid IS NOT NULL
       RETURN c.user_uid
     } AS people
RETURN n.uid AS uid, n.created_at AS recorded_at, people, hidden IS NOT NULL AND any(who IN people WHERE who IN hidden) AS restricted,
       COLLECT {
         MATCH (n)<-[:USED]-(:ModelRun)-[:PRODUCED]->(x:Claim)
         WHERE x.retained_as IS NULL OR x.retained_as = 'archive'
         RETURN {type: 'PRODUCED', uid: x.uid}
       } + COLLECT {
         MATCH (n)<-[:USED]-(:ModelRun)<-[r:RESTS_ON]-(x:Claim)
         WHERE x.retained_as IS NULL OR x.retained_as = 'archive'
         RETURN {type: type(r), uid: x.uid}
       } AS referrers
