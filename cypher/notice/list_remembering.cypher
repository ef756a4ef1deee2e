// List the providers whose models were given memories of people, in whatever conversation.
// scope: tenant · access: read · index: user_memory_recorded_at
// params: tenant_id: str, people: list[str]
// returns: provider: str (many)
// eager: at most the memories of one person
UNWIND $people AS person
MATCH (m:UserMemory)
USING INDEX m:UserMemory(user_uid, recorded_at)
WHERE m.user_uid = person AND m.recorded_at IS NOT NULL
WITH m
WHERE m.tenant_id = $tenant_id
MATCH (m)<-[:INCLUDED]-(a:ContextAssembly)
WITH DISTINCT a
MATCH (a)<-[:USED]-(r:ModelRun)
WITH DISTINCT coalesce(r.provider, a.provider) AS provider
WHERE provider IS NOT NULL
RETURN provider AS provider
ORDER BY provider
