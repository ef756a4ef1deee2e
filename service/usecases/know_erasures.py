"""What the ledger says was destroyed, as a running service knows it: read again when the file has changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.graph.ledger_mark import NAME
from service.log.erasures import NOTHING_ERASED, Erasures
from service.log.ledger import EntryKind, Ledger, LedgerEntry
from service.model.privacy import Destruction
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

    def entry(self, request_uid: str, kind: EntryKind) -> LedgerEntry | None:
        """What it says of a request already. Raises as `entries` does."""
        said = (one for one in self.entries() if one.request_uid == request_uid)
        return next((one for one in said if one.kind is kind), None)

    def unfinished(self, what: Destruction) -> list[LedgerEntry]:
        """What was begun and has not ended, oldest first. Raises as `entries` does."""
        entries = self.entries()
        ended = {one.request_uid for one in entries if one.kind is EntryKind.ENDED}
        begun = (one for one in entries if one.kind is EntryKind.BEGUN and one.what is what)
        return [one for one in begun if one.request_uid not in ended]

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
