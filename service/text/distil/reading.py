"""Read what a tool wrote as data, where it is data."""

from __future__ import annotations

import ast
import json
from typing import Any, Final

from service.text.distil.values import Number

LITERAL_CHARS_MAX = 200_000
"""Longest Python literal that is parsed; longer ones are read as text."""


class NotData:
    """The text is not data: read it as prose."""


NOT_DATA: Final = NotData()


def read(text: str) -> Any:
    """The JSON value, JSON lines (as a list) or Python literal that `text` is; NOT_DATA otherwise.

    Only objects and lists count as data: a lone word or number is text.
    """
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return _literal(text) if start == "(" else NOT_DATA
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        pass
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip()[0] in "{[" for line in lines):
        try:
            return [_decode(line) for line in lines]
        except (ValueError, RecursionError):
            pass
    return _literal(text)


def _decode(text: str) -> Any:
    return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number)


def _literal(text: str) -> Any:
    """A Python literal (many tools print their rows that way), in the types that JSON has."""
    if len(text) > LITERAL_CHARS_MAX:
        return NOT_DATA
    try:
        plain = _as_json(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return NOT_DATA
    return plain if isinstance(plain, dict | list) else NOT_DATA


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(_as_json(name)): _as_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_as_json(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, complex):
        return str(value)
    return Number(value)
