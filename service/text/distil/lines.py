"""Data to lines: every value beside the name of its field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.text.distil.plain import pieces
from service.text.distil.tables import Table, keyed_rows, pair_words, tabulate
from service.text.distil.values import (
    DEPTH_MAX,
    TEXT_CHARS_MAX,
    Notes,
    Number,
    inline,
    is_container,
    name_text,
    scalar_text,
    shape,
    short_text,
)

SUMMARY_CHARS_MAX = 160
"""A result that fits this many characters stands in the headline and needs no record."""
LINE_CHARS_MAX = 200
GROUP_CHARS_MAX = 120
"""Scalars of an object share a line up to this length, so that what is needed can be taken without the
rest."""
ROWS_MAX = 40
LIST_ITEMS_MAX = 60
NUMBERS_LISTED_MAX = 12
"""A longer list of numbers is told by its ends, its count and its range."""
NUMBERS_HEAD = 3
TEXT_PIECES_HEAD = 4
TEXT_PIECES_TAIL = 1


def note_lines(found: Any, echoed: dict[str, str]) -> Notes:
    """The notes of a decoded result; `echoed` are the arguments that need no repeating."""
    if isinstance(found, dict):
        found = {
            k: v for k, v in found.items() if echoed.get(k) != scalar_text(v) or isinstance(v, dict | list)
        }
    short = inline(found, SUMMARY_CHARS_MAX)
    if short is not None:
        return Notes(short, ())
    if isinstance(found, list):
        table = _table(found, echoed)
        if table is not None:
            words = [f"{len(found):,} rows of {table.heading}"]
            if table.shared:
                words.append(f"all {', '.join(table.shared)}")
            return Notes("; ".join(words), tuple(_row_records(table, len(found))))
        single = pair_words(found[0], echoed) if len(found) == 1 and isinstance(found[0], dict) else None
        if single:
            return Notes("1 row", tuple(_grouped("", single)))
        return Notes(f"{len(found):,} items", tuple(_list_lines("", found, 0)))
    return Notes("", tuple(_object_lines("", found, 0)))


def _row_records(table: Table, total: int) -> Iterator[str]:
    for row in table.rows:
        yield f"{table.key} {row}"
    if total > len(table.rows):
        yield f"{total - len(table.rows):,} more rows"


def _object_lines(label: str, value: dict[str, Any], depth: int) -> Iterator[str]:
    if depth >= DEPTH_MAX:
        yield _labelled(label, shape(value))
        return
    short = [(name, item) for name, item in value.items() if not is_container(item) and not _is_long(item)]
    yield from _grouped(label, [f"{name_text(name)} {short_text(item)}" for name, item in short])
    for name, item in value.items():
        if isinstance(item, dict) and item:
            yield from _nested_lines(name_text(name), item, depth + 1)
        elif isinstance(item, list) and item:
            yield from _list_lines(name_text(name), item, depth + 1)
        elif _is_long(item):
            for piece in pieces(item, TEXT_PIECES_HEAD, TEXT_PIECES_TAIL):
                yield _labelled(name_text(name), piece)


def _nested_lines(label: str, value: dict[str, Any], depth: int) -> Iterator[str]:
    objects = [(key, item) for key, item in value.items() if isinstance(item, dict)]
    if len(objects) == len(value) and all(inline(item, LINE_CHARS_MAX) for _, item in objects):
        yield from _grouped(label, keyed_rows(objects[:ROWS_MAX]), "; ")
        if len(objects) > ROWS_MAX:
            yield _labelled(label, f"{len(objects) - ROWS_MAX:,} more")
        return
    short = inline(value, LINE_CHARS_MAX)
    if short is not None:
        yield _labelled(label, short)
    else:
        yield from _object_lines(label, value, depth)


def _list_lines(label: str, value: list[Any], depth: int) -> Iterator[str]:
    if depth >= DEPTH_MAX:
        yield _labelled(label, shape(value))
    elif not any(is_container(item) for item in value):
        yield from _scalar_list_lines(label, value)
    else:
        table = _table(value, {})
        if table is not None:
            head = f"{label} ({table.heading})".lstrip()
            if table.shared:
                head += f" all {', '.join(table.shared)}"
            yield from _grouped(head, list(table.rows), "; ")
        else:
            for item in value[:ROWS_MAX]:
                short = inline(item, LINE_CHARS_MAX)
                if short is not None:
                    yield _labelled(label, short)
                elif isinstance(item, dict):
                    yield from _object_lines(label, item, depth + 1)
                else:
                    yield from _list_lines(label, item, depth + 1)
        if len(value) > ROWS_MAX:
            yield _labelled(label, f"{len(value) - ROWS_MAX:,} more rows")


def _table(value: list[Any], echoed: dict[str, str]) -> Table | None:
    rows: list[list[dict[str, Any]]] = []
    for item in value[:ROWS_MAX]:
        if isinstance(item, dict):
            rows.append([item])
        elif isinstance(item, list) and item and all(isinstance(inner, dict) for inner in item):
            rows.append(item)
        else:
            return None
    return tabulate(rows, echoed)


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > TEXT_CHARS_MAX


def _scalar_list_lines(label: str, value: list[Any]) -> Iterator[str]:
    if len(value) > NUMBERS_LISTED_MAX and all(isinstance(item, Number) for item in value):
        yield _labelled(label, _number_words(value))
        return
    words = [short_text(item) for item in value[:LIST_ITEMS_MAX]]
    if len(value) > LIST_ITEMS_MAX:
        words.append(f"+{len(value) - LIST_ITEMS_MAX:,} more")
    yield from _grouped(label, words)


def _number_words(numbers: list[Number]) -> str:
    ordered = sorted(numbers, key=float)
    first = ", ".join(numbers[:NUMBERS_HEAD])
    return f"{len(numbers):,} numbers {first} … {numbers[-1]}, from {ordered[0]} to {ordered[-1]}"


def _grouped(label: str, words: list[str], blank: str = ", ") -> Iterator[str]:
    """Words joined to labelled lines of about GROUP_CHARS_MAX."""
    line: list[str] = []
    used = 0
    for word in words:
        if line and used + len(word) > GROUP_CHARS_MAX:
            yield _labelled(label, blank.join(line))
            line, used = [], 0
        line.append(word)
        used += len(word) + 2
    if line:
        yield _labelled(label, blank.join(line))


def _labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text
