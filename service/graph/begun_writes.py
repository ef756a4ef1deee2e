"""What may have become of writes whose caller has stopped waiting: they go on to their end by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from service.errors import OutcomeUnknown

Write = asyncio.Task[object]


@dataclass(slots=True)
class BegunWrites:
    """The writes that were begun while somebody watched."""

    _writes: list[Write] = field(default_factory=list)

    def add(self, write: Write) -> None:
        """Watch one more."""
        self._writes.append(write)

    def may_be_committed(self) -> bool:
        """Whether one of them was committed, may have been, or may still be."""
        return any(_may_be_committed(write) for write in self._writes)


_watched: ContextVar[BegunWrites | None] = ContextVar("watched_writes", default=None)


@contextmanager
def watched_writes() -> Iterator[BegunWrites]:
    """Every write that the current task begins while the block runs."""
    begun = BegunWrites()
    token = _watched.set(begun)
    try:
        yield begun
    finally:
        _watched.reset(token)


def note_begun(write: Write) -> None:
    """Tell whoever watches that a write was begun."""
    watching = _watched.get()
    if watching is not None:
        watching.add(write)


def _may_be_committed(write: Write) -> bool:
    if not write.done() or write.cancelled():
        return True
    error = write.exception()
    return error is None or isinstance(error, OutcomeUnknown)
