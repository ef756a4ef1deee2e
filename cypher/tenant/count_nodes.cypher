// Count all nodes, by the database's own counter, to know when a walk along their numbers has ended.
// scope: system · access: read · index: none (a counter)
// params: none
// returns: total: int (one)
MATCH (n)
RETURN count(n) AS total
