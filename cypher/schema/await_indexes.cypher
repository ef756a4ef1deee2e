// Wait until every index is filled.
// scope: system · access: read · index: none (a procedure)
// params: timeout_s: int
// returns: (none)
CALL db.awaitIndexes($timeout_s)
