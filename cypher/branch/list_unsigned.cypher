// List branches after a branch ref that have moved since their newest tree head, or have none: of all tenants, or of
// one.
// scope: system · access: read · index: branch_ref, tree_head_place
// params: tenant_id: str | None, after: int, limit: int
// returns: tenant_id: str, branch_uid: str, branch_ref: int, lineage: list[int], base: int, head: int, parent_uids: list[str], tree_heads: list[map] (many)
MATCH (b:Branch)
WHERE b.branch_ref > $after AND ($tenant_id IS NULL OR b.tenant_id = $tenant_id)
CALL (b) {
  OPTIONAL MATCH (h:TreeHead)
  WHERE h.branch_ref = b.branch_ref AND h.seq >= 0
  RETURN h
  ORDER BY h.branch_ref DESC, h.seq DESC
  LIMIT 1
}
WITH b, h
WHERE h IS NULL OR h.seq <> b.head
WITH b, h
ORDER BY b.branch_ref
LIMIT $limit
RETURN b.tenant_id AS tenant_id, b.uid AS branch_uid, b.branch_ref AS branch_ref, b.lineage AS lineage, b.base AS base,
       b.head AS head,
       COLLECT { MATCH (b)-[:INHERITS]->(p:Branch) RETURN p.uid } AS parent_uids,
       CASE WHEN h IS NULL THEN [] ELSE [properties(h)] END AS tree_heads
ORDER BY branch_ref
