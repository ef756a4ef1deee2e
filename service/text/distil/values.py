"""Single values as words: scalars, short structures, and cuts that say what they cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NAME_CHARS_MAX = 60
TEXT_CHARS_MAX = 160
"""Longest string value that is kept whole."""
TEXT_HEAD_CHARS = 100
DEPTH_MAX = 6


class Number(str):
    """A number as it was written, so that `32.0` and `1e400` stay what they are."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Notes:
    """What a result came to: a few words for the headline, and its records."""

    summary: str
    records: tuple[str, ...]


def is_container(value: Any) -> bool:
    """An object or list that holds something."""
    return isinstance(value, dict | list) and bool(value)


def scalar_text(value: Any) -> str:
    """A scalar as a person writes it; empty structures are `none`."""
    if value is None or isinstance(value, dict | list):
        return "none"
    if value == "":
        return '""'
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def name_text(name: str) -> str:
    """A field's name, on one line."""
    return one_line(name, NAME_CHARS_MAX)


def short_text(value: Any) -> str:
    """A scalar on one line: whole up to TEXT_CHARS_MAX, else its beginning and its size."""
    text = scalar_text(value)
    return one_line(text, TEXT_CHARS_MAX if len(text) <= TEXT_CHARS_MAX else TEXT_HEAD_CHARS)


def unicode_text(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, which JSON can name by an escape and no store can keep."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def one_line(text: str, chars_max: int) -> str:
    """`text` with its blanks collapsed; what exceeds `chars_max` is cut and the size stated."""
    head = " ".join(text[: chars_max * 2].split())
    if len(text) <= chars_max * 2 and len(head) <= chars_max:
        return head
    return f"{head[:chars_max].rstrip()}… ({len(text):,} chars)"


def inline(value: Any, chars_max: int, depth: int = 0) -> str | None:
    """`value` on one line within `chars_max` characters; None where it does not fit or nests too deep."""
    if not is_container(value):
        text = scalar_text(value)
        return " ".join(text.split()) if len(text) <= chars_max else None
    if depth >= DEPTH_MAX or len(value) * 3 > chars_max:
        return None
    parts: list[str] = []
    used = 0
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for name, item in pairs:
        inner = inline(item, chars_max - used, depth + 1)
        if inner is None:
            return None
        text = f"({inner})" if is_container(item) else inner
        parts.append(text if name is None else f"{name_text(name)} {text}")
        used += len(parts[-1]) + 2
        if used > chars_max + 2:
            return None
    return ", ".join(parts)


def shape(value: Any) -> str:
    """What a structure is, where it cannot be shown: `[12 items]`, `{3 fields}`."""
    return f"[{len(value):,} items]" if isinstance(value, list) else f"{{{len(value):,} fields}}"


def brief(value: Any, chars_max: int) -> str:
    """`value` within about `chars_max` characters: whole, else cut (texts) or its shape (structures)."""
    if is_container(value):
        return inline(value, chars_max) or shape(value)
    return one_line(scalar_text(value), chars_max)
