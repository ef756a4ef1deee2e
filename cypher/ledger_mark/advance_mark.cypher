// Note that this database has carried out the ledger up to an entry; never back.
// scope: system · access: write · index: ledger_mark_name
// params: name: str, ledger_seq: int
// returns: ledger_seq: int (one)
// eager: one row; what is read must be read after the node is there and locked
MERGE (m:LedgerMark {name: $name})
SET m.ledger_seq = CASE WHEN m.ledger_seq > $ledger_seq THEN m.ledger_seq ELSE $ledger_seq END
RETURN m.ledger_seq AS ledger_seq
