"""The file outside the database that keeps every signed tree head, one line of JSON each.

It only grows. Copy it to where nobody who can write to the database can write: what the copy holds cannot be
rewritten any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from service.log.line_files import appending, whole_lines
from service.log.tree_heads import TreeHead


class UnreadableHeadsError(ValueError):
    """The file is not one of tree heads; the message says which line, and not what is in it."""


@dataclass(frozen=True, slots=True)
class KeptHeads:
    """The file at `path`; without one there are no heads yet."""

    path: Path

    def read(self) -> list[TreeHead]:
        """Every head, in the order in which they were kept. Raises UnreadableHeadsError.

        A head whose line was left half done is in the database too.
        """
        heads: list[TreeHead] = []
        for number, line in enumerate(whole_lines(self.path), start=1):
            try:
                heads.append(TreeHead.of(orjson.loads(line)))
            except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
                raise UnreadableHeadsError(f"line {number} is not a tree head") from None
        return heads

    def append(self, heads: Iterable[TreeHead]) -> None:
        """Keep heads; they are on the disk when this returns."""
        lines = b"".join(orjson.dumps(head.row(), option=orjson.OPT_APPEND_NEWLINE) for head in heads)
        if lines:
            with appending(self.path) as file:
                file.write(lines)
