// Let branches show, from a place on, what other branches had up to a cutoff.
// scope: tenant · access: write · index: branch_ref
// params: tenant_id: str, merges: list[map]
// returns: (none)
// eager: at most a batch of rows, which may change the same branch several times
UNWIND $merges AS row
MATCH (b:Branch {branch_ref: row.branch_ref})
WHERE b.tenant_id = $tenant_id
MATCH (source:Branch {branch_ref: row.source_ref})
WHERE source.tenant_id = $tenant_id
CREATE (b)-[:MERGES {seq: row.seq, cutoff: row.cutoff}]->(source)
SET b.merges = coalesce(b.merges, []) + row.merges
