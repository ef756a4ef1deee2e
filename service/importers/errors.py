"""The one way an importer says no."""

from __future__ import annotations

from pathlib import Path


class TranscriptError(Exception):
    """A file cannot be imported. Says where and why, never what stands there.

    `line` counts from 1 and is None in a file that is one JSON document; `field` is a path such as
    `messages[3].role`, with the array's index first where the document is a list.
    """

    def __init__(self, file: Path, reason: str, *, line: int | None = None, field: str = "") -> None:
        self.file, self.reason, self.line, self.field = file, reason, line, field
        place = [str(file), f"line {line}" if line else "", field]
        super().__init__(": ".join([*filter(None, place), reason]))
