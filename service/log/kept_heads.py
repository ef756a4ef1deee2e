"""The file outside the database that keeps every signed tree head, one line of JSON each.

It only grows. Copy it to where nobody who can write to the database can write: what the copy holds cannot be
rewritten any more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from service.log.tree_heads import TreeHead


class UnreadableHeadsError(ValueError):
    """The file is not one of tree heads; the message says which line, and not what is in it."""


@dataclass(frozen=True, slots=True)
class KeptHeads:
    """The file at `path`; without one there are no heads yet."""

    path: Path

    def read(self) -> list[TreeHead]:
        """Every head, in the order in which they were kept. Raises UnreadableHeadsError.

        A last line without its end is one whose writer was killed; the database has that head.
        """
        heads: list[TreeHead] = []
        try:
            with self.path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if not line.endswith(b"\n"):
                        break
                    try:
                        heads.append(TreeHead.of(orjson.loads(line)))
                    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
                        raise UnreadableHeadsError(f"line {number} is not a tree head") from None
        except FileNotFoundError:
            pass
        return heads

    def append(self, heads: Iterable[TreeHead]) -> None:
        """Keep heads; they are on the disk when this returns. One process at a time may do it."""
        lines = b"".join(orjson.dumps(head.row(), option=orjson.OPT_APPEND_NEWLINE) for head in heads)
        if not lines:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    self._drop_half_a_line()
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())

    def _drop_half_a_line(self) -> None:
        """Cut off what a killed writer left after the last whole line."""
        with self.path.open("rb+") as file:
            data = file.read()
            file.truncate(data.rfind(b"\n") + 1)
