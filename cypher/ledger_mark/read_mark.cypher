// Read how far this database has carried out the ledger.
// scope: system · access: read · index: ledger_mark_name
// params: name: str
// returns: ledger_seq: int (one)
MATCH (m:LedgerMark {name: $name})
RETURN m.ledger_seq AS ledger_seq
