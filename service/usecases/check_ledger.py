"""Hold the database against the ledger: one restored from an older copy has people back who were erased.

A database carries a begun entry out from the transaction on that cordons its people and advances the mark;
what is left then goes to its end by itself. What has ended and was begun beyond the mark is to be done again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from service.clock import FIRST_TIME, Clock
from service.errors import ErasuresToReplay, LedgerUnusable
from service.graph.driver import Graph
from service.graph.ledger_mark import read_mark
from service.log.ledger import EntryKind, LedgerEntry, UnreadableLedgerError
from service.model.privacy import Destruction
from service.usecases.know_erasures import KnownErasures
from service.usecases.single_flight import SingleFlight

CHECK_EVERY: Final = timedelta(seconds=5)
"""How long a running service goes on by the last check."""


def behind(entries: list[LedgerEntry], mark: int) -> list[LedgerEntry]:
    """The begun entries that have ended and that a database with this mark has not carried out.

    They come oldest first: after each the mark may be advanced to its number. Those of retention are left
    out: its next run carries them out by itself.
    """
    ended = {one.request_uid for one in entries if one.kind is EntryKind.ENDED}
    return [
        one
        for one in entries
        if one.kind is EntryKind.BEGUN
        and one.ledger_seq > mark
        and one.request_uid in ended
        and one.what is not Destruction.RETENTION
    ]


@dataclass(slots=True)
class CheckLedger:
    """The use case."""

    graph: Graph
    known: KnownErasures
    clock: Clock
    _checked_at: datetime = field(default=FIRST_TIME)
    _refusal: ErasuresToReplay | LedgerUnusable | None = None
    _check: SingleFlight[None, None] = field(default_factory=SingleFlight)

    async def __call__(self) -> list[LedgerEntry]:
        """What this database has to carry out again, oldest first. Raises LedgerUnusable."""
        mark = await self.graph.read(partial(read_mark, name=self.known.mark_name))
        try:
            entries = self.known.entries()
        except UnreadableLedgerError as error:
            raise LedgerUnusable(f"The ledger cannot be trusted: {error}.") from None
        except OSError:
            raise LedgerUnusable("The ledger cannot be read. The setting ledger_file names it.") from None
        if len(entries) < mark:
            raise LedgerUnusable(
                f"The ledger has {len(entries)} entries, and this database has carried out {mark}. The "
                "setting ledger_file names the file: put it back, or no erasure can be proven or replayed."
            )
        return behind(entries, mark)

    async def gate(self) -> None:
        """Let traffic through, by a check that is CHECK_EVERY old at most. Raises ErasuresToReplay or
        LedgerUnusable."""
        if self.clock() - self._checked_at >= CHECK_EVERY:
            await self._check(None, self._look)
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)

    async def _look(self) -> None:
        now = self.clock()
        self._refusal = await self._found()
        self._checked_at = now

    async def _found(self) -> ErasuresToReplay | LedgerUnusable | None:
        try:
            waiting = await self()
        except LedgerUnusable as error:
            return error
        return ErasuresToReplay(len(waiting)) if waiting else None
