"""What the ledger says was destroyed, as a running service knows it: read again when the file has changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.graph.ledger_mark import NAME
from service.log.erasures import NOTHING_ERASED, Erasures
from service.log.ledger import Ledger, LedgerEntry
from service.usecases.manage_signing_key import trusted_keys

_Stamp = tuple[int, int, int]


@dataclass(slots=True)
class KnownErasures:
    """The ledger with the keys that are trusted for it, those of the folder of secrets, and the name of the
    mark that a database keeps of it."""

    ledger: Ledger
    keys_folder: Path
    mark_name: str = NAME
    _stamp: _Stamp | None = None
    _entries: list[LedgerEntry] = field(default_factory=list)
    _erasures: Erasures = NOTHING_ERASED

    def entries(self) -> list[LedgerEntry]:
        """Every entry. Raises UnreadableLedgerError or OSError; without a file there is none."""
        stamp = self._stamped()
        if stamp is None or stamp != self._stamp:
            self._entries = self.ledger.read(trusted_keys(self.keys_folder))
            self._erasures = Erasures.of(self._entries)
            self._stamp = stamp
        return self._entries

    def allows(self, row: Mapping[str, Any]) -> bool:
        """Whether the payload of an entry of the log may be missing. Raises as `entries` does."""
        if row.get("erased_by") is None:
            return False
        self.entries()
        return self._erasures.allows(row)

    def _stamped(self) -> _Stamp | None:
        try:
            found = self.ledger.path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
