"""Gateway of the ledger's mark: how far this database has carried out what the ledger outside of it says."""

from __future__ import annotations

from typing import Final

from service.graph.driver import Transaction
from service.graph.query import query

NAME: Final = "ledger"

_read = query("ledger_mark/read_mark")
_advance = query("ledger_mark/advance_mark")


async def read_mark(tx: Transaction, name: str = NAME) -> int:
    """The `ledger_seq` up to which what was begun is known to this database; 0 before the first."""
    found = await _read.one(tx, name=name)
    return 0 if found is None else int(found["ledger_seq"])


async def advance_mark(tx: Transaction, ledger_seq: int, name: str = NAME) -> None:
    """Note that what a begun entry says is under way in this database, and will go to its end by itself.

    Goes with the cordon, in one transaction; never back."""
    await _advance.one(tx, name=name, ledger_seq=ledger_seq)
