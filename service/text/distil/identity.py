"""What a result is about: the thing that a later result about it may replace."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from service.text.distil.values import is_container

KEY_CHARS_MAX = 200
FIELDS_MAX = 64
LIST_FIELD = "[]"
"""Stands for the field names of a list."""
PARTIAL = frozenset(
    (
        *("after", "before", "cursor", "end", "filter", "from", "limit", "line", "lines", "offset", "page"),
        *("pattern", "q", "query", "range", "rows", "search", "since", "skip", "start", "to", "until"),
    )
)
"""Words of arguments that ask for a part of something: another part is another answer."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTITY = re.compile(r"^(?:(?P<noun>.*?)(?:_|(?<=[a-z])(?=I)|-))?(?:id|ID|Id|uuid|UUID)$")


def record_identity(tool_name: str, called: Any, found: Any) -> tuple[str | None, tuple[str, ...]]:
    """`(record key, field names)` of a result.

    The key is `noun=value` where the result names what it is about: a field `<noun>_id` or `id`, best one
    that an argument asked for. A bare `id` takes its noun from the argument with the same value, else from
    the tool's name after its verb. Where there is no such field, or the arguments ask for a part, the key
    is the tool with its canonical arguments: the same question asked again. Field names are the result's
    own, without the identity; a list has one, `[]`.
    """
    given = called if isinstance(called, dict) else {}
    partial = any(PARTIAL & set(_words(name)) for name in given)
    if isinstance(found, dict) and not partial:
        name = _identity_field(found, given)
        if name is not None:
            asked_by = next((k for k, v in given.items() if not is_container(v) and v == found[name]), "")
            noun = _noun(name) or _noun(asked_by) or "_".join(_words(tool_name)[1:] or _words(tool_name))
            return _bounded(f"{noun}={found[name]}"), _fields(found, name)
    return _question(tool_name, called), _fields(found, None)


def _identity_field(found: dict[str, Any], given: dict[str, Any]) -> str | None:
    """The field that says what the result is about: one that was asked for, else `id`, else the first."""
    names = [
        name for name, value in found.items() if _IDENTITY.match(name) and value and isinstance(value, str)
    ]
    asked = {v for v in given.values() if isinstance(v, str)}
    first = next(iter(found), None)
    ranked = [name for name in names if found[name] in asked]
    ranked += [name for name in names if name == first or not _noun(name)]
    return ranked[0] if ranked else None


def _question(tool_name: str, called: Any) -> str | None:
    """The tool with its arguments in canonical form; None where they are no object or nest too deep."""
    if not isinstance(called, dict):
        return None
    try:
        asked = json.dumps(called, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return None
    return _bounded(f"{tool_name}{asked}")


def _fields(found: Any, identity: str | None) -> tuple[str, ...]:
    if isinstance(found, list):
        return (LIST_FIELD,)
    if not isinstance(found, dict):
        return ()
    return tuple(sorted(name for name in found if name != identity))[:FIELDS_MAX]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _noun(name: str) -> str:
    match = _IDENTITY.match(name)
    return (match["noun"] or "").lower() if match else ""


def _bounded(key: str) -> str:
    if len(key) <= KEY_CHARS_MAX:
        return key
    return f"sha256:{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}"
