"""Take an exact part of a stored result: a JSON value, a range of rows, a range of bytes, or all of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from service.model.chain import canonical
from service.model.portable import portable

POINTER_STEPS_MAX = 64


class NoSuchPart(ValueError):
    """The result has no such part; the message says why in words of ours."""


@dataclass(frozen=True, slots=True)
class Selector:
    """What part is wanted. At most one of the three is set; none of them means all.

    `json_pointer` is RFC 6901; `rows` are lines `(first, last)`, counted from 1, both included, and a
    `heading` row is repeated before them; `byte_range` is `(first, count)`, counted from 0.
    """

    json_pointer: str | None = None
    rows: tuple[int, int] | None = None
    heading: bool = False
    byte_range: tuple[int, int] | None = None

    def named(self) -> str:
        """The field that selects."""
        chosen = {"json_pointer": self.json_pointer, "rows": self.rows, "byte_range": self.byte_range}
        return next((name for name, value in chosen.items() if value is not None), "json_pointer")


def select(text: str, selector: Selector) -> str:
    """The part of `text` that is asked for, to the byte. Raises NoSuchPart."""
    if selector.json_pointer is not None:
        return _pointed(text, selector.json_pointer)
    if selector.rows is not None:
        return _rows(text, selector.rows, selector.heading)
    if selector.byte_range is not None:
        first, count = selector.byte_range
        part = text.encode()[first : first + count]
        try:
            return part.decode()
        except UnicodeDecodeError:
            raise NoSuchPart("the byte range cuts a character in two") from None
    return text


def _rows(text: str, rows: tuple[int, int], heading: bool) -> str:
    lines = text.splitlines(keepends=True)
    first, last = rows
    if not 1 <= first <= last:
        raise NoSuchPart("rows are counted from 1, the first not after the last")
    if first > len(lines):
        raise NoSuchPart(f"the result has {len(lines)} rows")
    kept = lines[first - 1 : last]
    return "".join([lines[0], *kept] if heading and first > 1 else kept)


def _pointed(text: str, pointer: str) -> str:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise NoSuchPart("the result is not JSON") from None
    if pointer and not pointer.startswith("/"):
        raise NoSuchPart("a JSON pointer is empty or begins with /")
    steps = pointer.split("/")[1:]
    if len(steps) > POINTER_STEPS_MAX:
        raise NoSuchPart(f"a JSON pointer has at most {POINTER_STEPS_MAX} steps")
    for step in steps:
        value = _step(value, step.replace("~1", "/").replace("~0", "~"))
    try:
        portable(value)
    except ValueError as odd:
        raise NoSuchPart(f"what stands there {odd}: select its bytes") from None
    return value if isinstance(value, str) else canonical(value)


def _step(value: Any, name: str) -> Any:
    if isinstance(value, dict) and name in value:
        return value[name]
    if isinstance(value, list) and name.isascii() and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    raise NoSuchPart("the result has nothing at that pointer")
