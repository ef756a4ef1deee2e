// Find branches whose stored lineage is not what INHERITS says: the parent's stretches up to the cut-off.
// scope: tenant · access: read · index: branch_key
// params: tenant_id: str, limit: int
// returns: branch_uid: str (many)
MATCH (b:Branch)
WHERE b.tenant_id = $tenant_id AND b.conversation_id IS NOT NULL AND b.branch_id IS NOT NULL
OPTIONAL MATCH (b)-[i:INHERITS]->(p:Branch)
WITH b, i.cutoff AS cutoff, p.lineage + [p.branch_ref] AS refs, p.cutoffs AS ends, size(b.lineage) AS depth
WHERE CASE
  WHEN refs IS NULL THEN depth <> 0 OR b.base <> 0
  ELSE depth = 0 OR b.base <> cutoff OR b.lineage <> refs[..depth] OR last(b.cutoffs) <> cutoff
    OR b.cutoffs[..depth - 1] <> ends[..depth - 1] OR (depth > 1 AND ends[depth - 2] >= cutoff)
    OR (depth < size(refs) AND ends[depth - 1] < cutoff)
END
RETURN b.uid AS branch_uid
LIMIT $limit
