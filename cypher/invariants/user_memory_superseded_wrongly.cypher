// Find user memories that supersede themselves through others, or something of another person, thing or agent.
// scope: tenant · access: read · index: user_memory_key
// params: tenant_id: str, limit: int
// returns: memory_uid: str (many)
MATCH (m:UserMemory)
WHERE m.tenant_id = $tenant_id AND m.memory_id IS NOT NULL
  AND EXISTS {
    MATCH (m)-[:SUPERSEDES]->(o:UserMemory)
    WHERE o.user_uid <> m.user_uid OR o.memory_key <> m.memory_key AND m.retained_as IS NULL AND o.retained_as IS NULL OR coalesce(o.agent <> m.agent, m.agent IS NOT NULL OR o.agent IS NOT NULL)
       OR EXISTS { (o)-[:SUPERSEDES]->*(m) }
  }
RETURN m.uid AS memory_uid
LIMIT $limit
