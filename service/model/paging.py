"""Pages of what a branch or a ranking has: the cursor with which the next one is asked for, opaque."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from service.errors import InvalidRequest

CURSOR_CHARS_MAX: Final = 128
PLACE_MAX: Final = 2**53


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page ended: the branch that was read, and the last seq that was looked at.

    It is a place and no permission: whoever sends one is asked for everything else as ever.
    """

    branch_ref: int
    seq: int

    def encode(self) -> str:
        """As text for a query parameter."""
        return _encoded(self.branch_ref, self.seq)

    @classmethod
    def seq_in(cls, text: str | None, branch_ref: int) -> int:
        """The seq after which a page of the branch begins; 0 without a cursor. Raises InvalidRequest."""
        if text is None:
            return 0
        known, seq = _decoded(text)
        if known != branch_ref:
            raise _refused("is of another branch")
        return seq


@dataclass(frozen=True, slots=True)
class RankingCursor:
    """Where a page of a ranking ended, and as of when all its pages are made: so they fit together."""

    as_of: datetime
    offset: int

    def encode(self) -> str:
        """As text for a query parameter."""
        return _encoded((self.as_of - _EPOCH) // _UNIT, self.offset)

    @classmethod
    def decode(cls, text: str | None) -> RankingCursor | None:
        """What a page answered; None without a cursor. Raises InvalidRequest."""
        if text is None:
            return None
        since_epoch, offset = _decoded(text)
        return cls(_EPOCH + since_epoch * _UNIT, offset)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNIT: Final = timedelta(microseconds=1)


def _encoded(first: int, second: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([first, second]).encode()).decode().rstrip("=")


def _decoded(text: str) -> tuple[int, int]:
    try:
        place = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        first, second = (_place(one) for one in place)
    except (ValueError, TypeError, RecursionError):
        raise _refused("is not a cursor of this service") from None
    return first, second


def _place(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= PLACE_MAX:
        raise ValueError
    return value


def _refused(problem: str) -> InvalidRequest:
    return InvalidRequest([{"location": "cursor", "problem": problem}])
