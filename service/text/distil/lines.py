"""Data to lines: every value beside the name of its field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SUMMARY_CHARS_MAX = 160
"""A result that fits this many characters stands in the headline and needs no record."""
LINE_CHARS_MAX = 240
TEXT_CHARS_MAX = 160
"""Longest string value that is kept whole."""
TEXT_HEAD_CHARS = 100
DEPTH_MAX = 6
ROWS_MAX = 40
LIST_ITEMS_MAX = 60
NUMBERS_HEAD = 5


@dataclass(frozen=True, slots=True)
class Notes:
    """What a result came to: a few words for the headline, and its records."""

    summary: str
    records: tuple[str, ...]


def one_line(text: str, chars_max: int) -> str:
    """`text` with its blanks collapsed, cut at `chars_max` with the cut stated."""
    head = " ".join(text[: chars_max * 2].split())
    if len(text) <= chars_max * 2 and len(head) <= chars_max:
        return head
    return f"{head[:chars_max].rstrip()}… ({len(text):,} chars)"


def scalar_text(value: Any) -> str:
    """A scalar as a person writes it."""
    if value is None:
        return "none"
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def inline(value: Any, chars_max: int, depth: int = 0) -> str | None:
    """`value` on one line within `chars_max` characters; None where it does not fit or nests too deep."""
    if not isinstance(value, dict | list):
        scalar = scalar_text(value)
        return " ".join(scalar.split()) if len(scalar) <= chars_max else None
    if depth >= DEPTH_MAX or len(value) * 3 > chars_max:
        return None
    if not value:
        return "none"
    parts: list[str] = []
    used = 0
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for name, item in pairs:
        text = inline(item, chars_max - used, depth + 1)
        if text is None:
            return None
        nested = isinstance(item, dict | list) and bool(item)
        text = f"({text})" if nested else text
        parts.append(text if name is None else f"{name} {text}")
        used += len(parts[-1]) + 2
        if used > chars_max + 2:
            return None
    return ", ".join(parts)


def note_lines(found: Any, echoed: dict[str, str]) -> Notes:
    """The notes of a decoded result; `echoed` are the arguments that need no repeating."""
    if isinstance(found, dict):
        found = {
            k: v for k, v in found.items() if echoed.get(k) != scalar_text(v) or isinstance(v, dict | list)
        }
    short = inline(found, SUMMARY_CHARS_MAX)
    if short is not None:
        return Notes(short, ())
    return Notes(_shape(found), tuple(_lines("", found, 0)))


def _shape(found: Any) -> str:
    return f"{len(found)} rows" if isinstance(found, list) else ""


def _lines(label: str, value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _object_lines(label, value, depth)
    elif isinstance(value, list):
        yield from _list_lines(label, value, depth)
    else:
        yield _labelled(label, one_line(scalar_text(value), TEXT_HEAD_CHARS))


def _object_lines(label: str, value: dict[str, Any], depth: int) -> Iterator[str]:
    if depth >= DEPTH_MAX:
        yield _labelled(label, f"{len(value)} fields")
        return
    scalars: list[str] = []
    used = 0
    for name, item in value.items():
        if isinstance(item, dict | list) and item:
            continue
        text = f"{one_line(name, 60)} {_short(item)}"
        if used + len(text) > LINE_CHARS_MAX and scalars:
            yield _labelled(label, ", ".join(scalars))
            scalars, used = [], 0
        scalars.append(text)
        used += len(text) + 2
    if scalars:
        yield _labelled(label, ", ".join(scalars))
    for name, item in value.items():
        if isinstance(item, dict | list) and item:
            short = inline(item, LINE_CHARS_MAX) if isinstance(item, dict) else None
            if short is not None:
                yield _labelled(one_line(name, 60), short)
            else:
                yield from _lines(one_line(name, 60), item, depth + 1)


def _list_lines(label: str, value: list[Any], depth: int) -> Iterator[str]:
    if depth >= DEPTH_MAX:
        yield _labelled(label, f"{len(value)} items")
        return
    if not any(isinstance(item, dict | list) for item in value):
        yield from _scalar_list_lines(label, value)
        return
    for item in value[:ROWS_MAX]:
        short = inline(item, LINE_CHARS_MAX)
        if short is not None:
            yield _labelled(label, short)
        else:
            yield from _lines(label, item, depth + 1)
    if len(value) > ROWS_MAX:
        yield _labelled(label, f"{len(value) - ROWS_MAX} more rows")


def _scalar_list_lines(label: str, value: list[Any]) -> Iterator[str]:
    parts: list[str] = []
    used = 0
    for item in value[:LIST_ITEMS_MAX]:
        text = _short(item)
        if used + len(text) > LINE_CHARS_MAX and parts:
            yield _labelled(label, ", ".join(parts))
            parts, used = [], 0
        parts.append(text)
        used += len(text) + 2
    if len(value) > LIST_ITEMS_MAX:
        parts.append(f"+{len(value) - LIST_ITEMS_MAX} more")
    yield _labelled(label, ", ".join(parts))


def _short(item: Any) -> str:
    text = scalar_text(item) if not isinstance(item, dict | list) else "none"
    return one_line(text, TEXT_CHARS_MAX if len(text) <= TEXT_CHARS_MAX else TEXT_HEAD_CHARS)


def _labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text
