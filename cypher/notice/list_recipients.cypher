// List the providers whose models answered on branches after a seq: what the run names, or else what its context was for.
// scope: tenant · access: read · index: model_run_place
// params: tenant_id: str, branches: list[map]
// returns: provider: str (many)
// eager: at most the few providers of a page of conversations
UNWIND $branches AS b
MATCH (r:ModelRun)
WHERE r.branch_ref = b.branch_ref AND r.seq > b.since
WITH r
WHERE r.tenant_id = $tenant_id
OPTIONAL MATCH (r)-[:USED]->(a:ContextAssembly)
WITH DISTINCT coalesce(r.provider, a.provider) AS provider
WHERE provider IS NOT NULL
RETURN provider AS provider
ORDER BY provider
