"""What a value must be to be stored in the graph and carried on as JSON: checks for pydantic's validators.

Each answers the value, or raises a ValueError that does not repeat it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

JSON_DEPTH_MAX = 64
"""Deepest nesting of arguments, results and schemas."""


def storable(text: str) -> str:
    """Refuse what Neo4j cannot store: lone surrogates."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("holds a lone surrogate, which is not Unicode text")
    return text


def portable(value: Any) -> Any:
    """Refuse what JSON cannot carry on: NaN, infinities, lone surrogates, more than JSON_DEPTH_MAX levels."""
    level: list[Any] = [[value]]
    for _ in range(JSON_DEPTH_MAX + 1):
        level = [inner for outer in level for inner in _checked(outer) if isinstance(inner, dict | list)]
        if not level:
            return value
    raise ValueError(f"nests deeper than {JSON_DEPTH_MAX} levels")


def _checked(container: dict[str, Any] | list[Any]) -> Iterator[Any]:
    for value in container if isinstance(container, list) else (*container, *container.values()):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("holds a number that is not finite or too large")
        yield storable(value) if isinstance(value, str) else value


def written(at: object) -> object:
    """Refuse seconds since 1970, as a number or as text: a time is written out."""
    if isinstance(at, datetime) or (isinstance(at, str) and at[4:5] == "-"):
        return at
    raise ValueError("is not an RFC 3339 time")


def in_utc(at: datetime) -> datetime:
    """The same moment in UTC; refused where no calendar has it."""
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999 in UTC") from None
