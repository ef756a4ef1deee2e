"""Prose, listings and logs to lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.distil.values import NAME_CHARS_MAX, Notes, one_line

SUMMARY_CHARS_MAX = 200
"""A text up to this length stands in the headline and needs no record."""
PIECE_CHARS_MAX = 200
LABEL_EVERY_CHARS = 400
LINES_HEAD = 24
LINES_TAIL = 8
TELLING_LINES_MAX = 8
"""Lines from the cut middle that are kept because they tell of an error."""
LINES_READ_MAX = 20_000
LINE_CHARS_READ_MAX = 8_000

_TELLING = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure)?|fatal|panic|traceback|warning|denied|refused)\b", re.I
)


def note_text(text: str, tool_name: str) -> Notes:
    """The notes of a result that is not data; every few lines name the tool, so that each can stand alone."""
    if len(text) <= SUMMARY_CHARS_MAX:
        return Notes(one_line(text, SUMMARY_CHARS_MAX) or "empty", ())
    count = text.count("\n") + 1
    size = f"{count:,} lines, {len(text):,} chars" if count > 1 else f"{len(text):,} chars"
    kept = pieces(text, LINES_HEAD, LINES_TAIL)
    return Notes(f"text of {size}", tuple(_labelled(one_line(tool_name, NAME_CHARS_MAX), kept)))


def pieces(text: str, head: int, tail: int) -> list[str]:
    """`text` as lines of at most PIECE_CHARS_MAX: the first, the last, and those between that tell of errors.

    Where lines are missing, a line says how many.
    """
    lines = [piece for line in text.split("\n", LINES_READ_MAX) for piece in _split(line)]
    if len(lines) <= head + tail + 1:
        return lines
    middle = [line for line in lines[head : len(lines) - tail] if _TELLING.search(line)][:TELLING_LINES_MAX]
    cut = len(lines) - head - tail - len(middle)
    return [*lines[:head], *middle, f"… {cut:,} lines cut …", *lines[len(lines) - tail :]]


def _split(line: str) -> Iterator[str]:
    """A line in pieces, at the last sentence, comma or blank before the limit."""
    rest = " ".join(line[:LINE_CHARS_READ_MAX].split())
    while len(rest) > PIECE_CHARS_MAX:
        window = rest[:PIECE_CHARS_MAX]
        at = max(window.rfind(". ") + 1, window.rfind(", ") + 1, 0)
        at = at if at > PIECE_CHARS_MAX // 2 else window.rfind(" ")
        at = at if at > 0 else PIECE_CHARS_MAX
        yield rest[:at].rstrip()
        rest = rest[at:].lstrip()
    if rest:
        yield rest
    if len(line) > LINE_CHARS_READ_MAX:
        yield f"… {len(line) - LINE_CHARS_READ_MAX:,} characters cut …"


def _labelled(label: str, lines: list[str]) -> Iterator[str]:
    unlabelled = LABEL_EVERY_CHARS
    for line in lines:
        if unlabelled + len(line) > LABEL_EVERY_CHARS:
            unlabelled = 0
            yield f"{label}: {line}"
        else:
            yield line
        unlabelled += len(line)
