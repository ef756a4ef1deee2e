"""Where time comes from. Everything that needs `now` is given a clock; nobody asks the system."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

FIRST_TIME = datetime.min.replace(tzinfo=UTC)
"""Before all others."""
LAST_TIME = datetime.max.replace(tzinfo=UTC)
"""After all others."""


class Clock(Protocol):
    """Answers the present moment, aware and in UTC."""

    def __call__(self) -> datetime:
        """Now."""
        ...


class SystemClock:
    """The machine's clock."""

    def __call__(self) -> datetime:
        """Now, by the machine."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, at: datetime) -> None:
        if at.tzinfo is None:
            raise ValueError("a clock needs an aware time")
        self._at = at.astimezone(UTC)

    def __call__(self) -> datetime:
        """The moment it was set to."""
        return self._at

    def advance(self, by: timedelta) -> None:
        """Move forward."""
        self._at += by
