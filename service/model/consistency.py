"""The consistency token: what a write answers and every read accepts, opaque to clients."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass

from service.errors import InvalidRequest

TOKEN_CHARS_MAX = 4096
BOOKMARKS_MAX = 8


@dataclass(frozen=True, slots=True)
class ConsistencyToken:
    """The database bookmarks that a later read waits for, and the branch head that the write reached."""

    bookmarks: tuple[str, ...] = ()
    branch_ref: int | None = None
    head: int | None = None

    def encode(self) -> str:
        """As text for a header or a JSON field."""
        body = json.dumps([list(self.bookmarks), self.branch_ref, self.head], separators=(",", ":"))
        return base64.urlsafe_b64encode(body.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str | None) -> ConsistencyToken:
        """From what a client sent back; None is the empty token. Raises InvalidRequest."""
        if not text:
            return cls()
        try:
            if len(text) > TOKEN_CHARS_MAX:
                raise ValueError
            body = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            bookmarks, branch_ref, head = json.loads(body)
            return cls(_bookmarks(bookmarks), _integer(branch_ref), _integer(head))
        except (ValueError, TypeError, RecursionError):
            raise InvalidRequest(
                [{"location": "Consistency-Token", "problem": "is not a token of this service"}]
            ) from None


def _bookmarks(value: object) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > BOOKMARKS_MAX:
        raise ValueError
    if not all(isinstance(one, str) and one and one.isascii() and one.isprintable() for one in value):
        raise ValueError
    return tuple(value)


def _integer(value: object) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise ValueError
    return value
