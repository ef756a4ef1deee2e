"""Lists of similar objects: columns once, then a short row for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from service.text.distil.values import brief, inline, is_container, name_text, scalar_text

COLUMNS_MAX = 16
CELL_CHARS_MAX = 80
FILLED_MIN = 0.7
"""Part of the cells that must hold something; a sparser list is no table."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A list of objects as text. `shared` holds what all rows have in common, as `name value` words."""

    key: str
    """The first column's name."""
    heading: str
    """The columns' names, in the order and with the separator of the cells."""
    shared: tuple[str, ...]
    rows: tuple[str, ...]


def tabulate(rows: Sequence[Sequence[Row]], echoed: dict[str, str]) -> Table | None:
    """A table of rows, each one or several objects (legs of a journey, say); None where they are too
    unlike.

    Columns that are the same in all rows are said once; those that only echo an argument, not at all.
    """
    flat = [[_flatten(item) for item in row] for row in rows]
    items = [item for row in flat for item in row]
    names = list(dict.fromkeys(name for item in items for name in item))
    if len(items) < 2 or not names or len(names) > COLUMNS_MAX:
        return None
    if sum(len(item) for item in items) < FILLED_MIN * len(names) * len(items):
        return None
    if any(
        is_container(value) and brief(value, CELL_CHARS_MAX)[0] in "[{" for i in items for value in i.values()
    ):
        return None
    common = {n: scalar_text(items[0].get(n)) for n in names if _constant(n, items)}
    columns = [name for name in names if name not in common]
    if not columns:
        return None
    cells = [[[_cell(item.get(name)) for name in columns] for item in row] for row in flat]
    blank = ", " if any(" " in cell for row in cells for item in row for cell in item) else " "
    shared = tuple(
        f"{name_text(n)} {brief(v, CELL_CHARS_MAX)}" for n, v in common.items() if echoed.get(n) != v
    )
    return Table(
        name_text(columns[0]),
        blank.join(name_text(name) for name in columns),
        shared,
        tuple(" + ".join(blank.join(item) for item in row) for row in cells),
    )


def pair_words(item: Row, echoed: dict[str, str]) -> list[str] | None:
    """One object as `name value` words without what echoes an argument; None where it holds too much."""
    flat = _flatten(item)
    if not _fits(flat):
        return None
    return [f"{name_text(n)} {_cell(v)}" for n, v in flat.items() if echoed.get(n) != scalar_text(v)]


def _fits(item: Row) -> bool:
    """True where every structure in it can stand in a cell."""
    return all(not is_container(value) or inline(value, CELL_CHARS_MAX) for value in item.values())


def _constant(name: str, items: Sequence[Row]) -> bool:
    first = items[0].get(name)
    return not is_container(first) and all(name in item and item[name] == first for item in items)


def _cell(value: Any) -> str:
    return "-" if value is None or value == "" else brief(value, CELL_CHARS_MAX)


def _flatten(item: Row) -> Row:
    """Small nested objects of scalars become columns `prices economy/business` with cells `121/239`."""
    flat: Row = {}
    for name, value in item.items():
        if isinstance(value, dict) and value and not any(is_container(inner) for inner in value.values()):
            texts = [_cell(inner) for inner in value.values()]
            if (
                not any("/" in text or " " in text for text in (*texts, *value))
                and len("/".join(value)) <= 60
            ):
                flat[f"{name} {'/'.join(value)}"] = "/".join(texts)
                continue
        flat[name] = value
    return flat


def keyed_rows(pairs: Iterable[tuple[str, Row]]) -> list[str]:
    """Objects under names of their own: `name field value field value`, without what the name says
    already."""
    rows = []
    for key, item in pairs:
        words = [f"{name_text(n)} {brief(v, CELL_CHARS_MAX)}" for n, v in item.items() if not _said(key, v)]
        rows.append(f"{name_text(key)} {', '.join(words)}" if words else name_text(key))
    return rows


def _said(key: str, value: Any) -> bool:
    text = scalar_text(value)
    return value == key or (len(text) >= 4 and (f"_{key}_").find(f"_{text}_") >= 0)
