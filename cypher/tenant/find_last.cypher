// Find the greatest of the database's own node numbers, or -1 where there is no node.
// scope: system · access: read · index: none (all nodes)
// params: none
// returns: number: int (one)
MATCH (n)
RETURN coalesce(max(id(n)), -1) AS number
