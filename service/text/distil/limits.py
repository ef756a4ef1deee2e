"""How far a memory can be trusted, and what of its result it does not say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from service.text.distil.lines import LIST_ITEMS_MAX, NUMBERS_LISTED_MAX, ROWS_MAX
from service.text.distil.reading import NOT_DATA
from service.text.distil.values import DEPTH_MAX, Number, is_container, name_text

SOURCE = "deterministic_distiller"
"""Where a confidence comes from: rules, and no model's opinion."""
LIMITS_MAX = 8
WALKED_MAX = 2_000
"""Structures of a result that are looked at for lists that were cut."""
DATA = (1.0, "parsed data")
TEXT = (0.8, "plain text")
ERROR = (0.6, "error text")
NOTHING = (0.5, "no result")
"""Confidence, from 0 to 1, with its reason: how sure it is that the notes say what the result says."""

_LINES_CUT = re.compile(r"… (\d[\d,]{0,12}) lines cut …")
_VALUE_CUT = re.compile(r"… \([\d,]+ chars\)|… [\d,]+ characters cut …")


def confidence(found: Any, result: str | None, error: str | None) -> tuple[float, str]:
    """Confidence and its reason; `found` is the result read as data, or NOT_DATA."""
    if found is not NOT_DATA:
        return DATA
    if result is not None:
        return TEXT
    return ERROR if error else NOTHING


def limits(found: Any, made: Sequence[str], kept: int, named: bool) -> list[str]:
    """What the notes leave out: counts of what was cut, and whether they name what they are about.

    `made` are headline and records before the cut to `kept` lines; at most LIMITS_MAX are told.
    """
    told = list(_lists_cut(found)) if found is not NOT_DATA else []
    lines = sum(int(count.replace(",", "")) for text in made[:kept] for count in _LINES_CUT.findall(text))
    values = sum(len(_VALUE_CUT.findall(text)) for text in made[:kept])
    if lines:
        told.append(f"{lines:,} lines cut")
    if values:
        told.append(f"{values:,} long values cut")
    if len(made) > kept:
        told.append(f"{kept:,} of {len(made):,} lines kept")
    if not named:
        told.append("names no record, so that nothing supersedes it")
    return told[:LIMITS_MAX]


def _lists_cut(found: Any) -> Iterator[str]:
    level: list[tuple[str, Any]] = [("", found)]
    walked = 0
    for _ in range(DEPTH_MAX):
        inner: list[tuple[str, Any]] = []
        for name, value in level:
            walked += 1
            if walked > WALKED_MAX:
                return
            if isinstance(value, list):
                rows = any(map(is_container, value))
                shown = ROWS_MAX if rows else LIST_ITEMS_MAX
                of = f" of {name}" if name else ""
                if len(value) > NUMBERS_LISTED_MAX and all(isinstance(item, Number) for item in value):
                    yield f"{len(value):,} numbers{of} told by their range"
                elif len(value) > shown:
                    yield f"{shown} of {len(value):,} {'rows' if rows else 'items'}{of} kept"
                inner += [(name, item) for item in value[:shown] if is_container(item)]
            else:
                inner += [(name_text(key), item) for key, item in value.items() if is_container(item)]
        level = inner
