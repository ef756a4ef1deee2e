// List a tenant's branches after a uid, as the log's verification takes them.
// scope: tenant · access: read · index: branch_log
// params: tenant_id: str, after: str, limit: int
// returns: tenant_id: str, branch_uid: str, branch_ref: int, lineage: list[int], cutoffs: list[int], base: int, head: int, head_hash: str, parents: list[map] (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.uid > $after
WITH b
ORDER BY b.uid
LIMIT $limit
RETURN b.tenant_id AS tenant_id, b.uid AS branch_uid, b.branch_ref AS branch_ref, b.lineage AS lineage,
       b.cutoffs AS cutoffs, b.base AS base, b.head AS head, b.head_hash AS head_hash,
       COLLECT {
         MATCH (b)-[i:INHERITS]->(p:Branch)
         RETURN p {.branch_ref, .lineage, .cutoffs, .head, branch_uid: p.uid, cutoff: i.cutoff}
       } AS parents
ORDER BY branch_uid
