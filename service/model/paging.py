"""Pages of what a branch reads: the cursor with which the next one is asked for, opaque to clients."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
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
        return base64.urlsafe_b64encode(json.dumps([self.branch_ref, self.seq]).encode()).decode().rstrip("=")

    @classmethod
    def seq_in(cls, text: str | None, branch_ref: int) -> int:
        """The seq after which a page of the branch begins; 0 without a cursor. Raises InvalidRequest."""
        if text is None:
            return 0
        try:
            place = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            known, seq = (_place(one) for one in place)
        except (ValueError, TypeError, RecursionError):
            raise _refused("is not a cursor of this service") from None
        if known != branch_ref:
            raise _refused("is of another branch")
        return seq


def _place(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= PLACE_MAX:
        raise ValueError
    return value


def _refused(problem: str) -> InvalidRequest:
    return InvalidRequest([{"location": "cursor", "problem": problem}])
