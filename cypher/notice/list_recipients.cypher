// List the providers whose models answered in stretches of branches: what the run names, or else what its context was for.
// scope: tenant · access: read · index: model_run_place
// params: tenant_id: str, stretches: list[map]
// returns: provider: str (many)
// eager: at most one page of stretches
UNWIND $stretches AS s
MATCH (r:ModelRun)
WHERE r.branch_ref = s.branch_ref AND r.seq > s.floor AND r.seq <= s.ceiling
WITH s, r
WHERE r.tenant_id = $tenant_id AND r.seq > s.since
OPTIONAL MATCH (r)-[:USED]->(a:ContextAssembly)
WITH DISTINCT coalesce(r.provider, a.provider) AS provider
WHERE provider IS NOT NULL
RETURN provider AS provider
ORDER BY provider
