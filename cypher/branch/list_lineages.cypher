// List branches of all tenants after a branch ref, with the lineage they store and the parents of INHERITS.
// scope: system · access: read · index: branch_ref
// params: after: int, limit: int
// returns: branch_uid: str, branch_ref: int, lineage: list[int], cutoffs: list[int], base: int, parents: list[map] (many)
MATCH (b:Branch)
WHERE b.branch_ref > $after
WITH b
ORDER BY b.branch_ref
LIMIT $limit
RETURN b.uid AS branch_uid, b.branch_ref AS branch_ref, b.lineage AS lineage, b.cutoffs AS cutoffs, b.base AS base,
       COLLECT {
         MATCH (b)-[i:INHERITS]->(p:Branch)
         RETURN p {.branch_ref, .lineage, .cutoffs, .head, cutoff: i.cutoff}
       } AS parents
ORDER BY branch_ref
