"""Where the stories are played: the running service, its clock and its store of blobs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx

from service.clock import FixedClock


@dataclass(frozen=True)
class Theatre:
    """The running service with its clock."""

    http: httpx.AsyncClient
    clock: FixedClock
    store: Path

    def set_time(self, at: datetime) -> None:
        """Move the service's clock to a moment, forwards or back."""
        self.clock.advance(at - self.clock())

    def lose(self, sha256: str) -> None:
        """Take a stored blob away behind the service's back, as a disk or a bucket may lose it."""
        for path in self.store.rglob(sha256):
            path.rename(path.with_suffix(".lost"))

    def restore(self, sha256: str) -> None:
        """Put it back, as from a backup."""
        for path in self.store.rglob(f"{sha256}.lost"):
            path.rename(path.with_suffix(""))
