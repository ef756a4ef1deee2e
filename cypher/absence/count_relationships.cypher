// Count all relationships, by the database's own counter.
// scope: system · access: read · index: none (a counter)
// params: none
// returns: total: int (one)
MATCH ()-[r]->()
RETURN count(r) AS total
