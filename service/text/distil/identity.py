"""What a result is about: the thing that a later result about it may replace."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from service.text.distil.values import scalar_text

KEY_CHARS_MAX = 200
FIELDS_MAX = 64
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTITY = re.compile(r"^(?:(?P<noun>.*?)(?:_|(?<=[a-z])(?=I)|-))?(?:id|ID|Id|uuid|UUID)$")


def record_identity(tool_name: str, called: Any, found: Any) -> tuple[str | None, tuple[str, ...]]:
    """`(record key, field names)` of a result.

    The key is `noun=value` where the result names what it is about: a field `<noun>_id` or `id`, best one
    that an argument asked for. A bare `id` takes its noun from the argument with the same value, else from
    the tool's name after its verb. Without such a field the key is the call's canonical arguments: the same
    question asked again. Field names are the result's own, without the identity.
    """
    if isinstance(found, dict):
        given = {} if not isinstance(called, dict) else called
        values = {scalar_text(v): k for k, v in given.items() if not isinstance(v, dict | list)}
        names = [
            name
            for name, value in found.items()
            if _IDENTITY.match(name) and isinstance(value, str) and value
        ]
        asked = [name for name in names if found[name] in values]
        first = next(iter(found), None)
        named = asked or [name for name in names if name == first or _noun(name) == ""]
        if named:
            name = named[0]
            noun = _noun(name) or _noun(values.get(found[name], "")) or _tool_noun(tool_name)
            return _bounded(f"{noun}={found[name]}"), _fields(found, name)
    fields = _fields(found, None) if isinstance(found, dict) else ()
    if not isinstance(called, dict):
        return None, fields
    return _bounded(json.dumps(called, sort_keys=True, ensure_ascii=False, separators=(",", ":"))), fields


def _fields(found: dict[str, Any], identity: str | None) -> tuple[str, ...]:
    return tuple(sorted(name for name in found if name != identity))[:FIELDS_MAX]


def _noun(name: str) -> str:
    match = _IDENTITY.match(name)
    return (match["noun"] or "").lower() if match else ""


def _tool_noun(tool_name: str) -> str:
    words = [word.lower() for word in _WORD.findall(tool_name)]
    return "_".join(words[1:] or words)


def _bounded(key: str) -> str:
    if len(key) <= KEY_CHARS_MAX:
        return key
    return f"sha256:{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}"
