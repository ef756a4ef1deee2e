"""Prose, listings and logs to lines."""

from __future__ import annotations

from service.text.distil.lines import LINE_CHARS_MAX, Notes
from service.text.distil.values import one_line

SUMMARY_CHARS_MAX = 200
LABEL_EVERY_CHARS = 400
LINES_HEAD = 24
LINES_TAIL = 8


def note_text(text: str, tool_name: str) -> Notes:
    """The notes of a result that is not data; every few lines name the tool, so that each can stand alone."""
    flat = one_line(text, SUMMARY_CHARS_MAX)
    if len(text) <= SUMMARY_CHARS_MAX:
        return Notes(flat or "empty", ())
    lines = [line for raw in text.splitlines() if (line := raw.strip())]
    cut = len(lines) - LINES_HEAD - LINES_TAIL
    kept = lines if cut <= 0 else [*lines[:LINES_HEAD], f"… {cut} lines cut …", *lines[-LINES_TAIL:]]
    records: list[str] = []
    unlabelled = LABEL_EVERY_CHARS
    for line in kept:
        line = one_line(line, LINE_CHARS_MAX)
        if unlabelled + len(line) > LABEL_EVERY_CHARS:
            line = f"{one_line(tool_name, 80)}: {line}"
            unlabelled = 0
        unlabelled += len(line)
        records.append(line)
    return Notes(f"text of {len(lines):,} lines, {len(text):,} chars", tuple(records))
