"""The words that events are made of: names of their fields, and values of their closed vocabularies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from service.model.events import CompactionEvent, Event, RedactionEvent

Schema = dict[str, Any]


@cache
def vocabularies() -> dict[str, frozenset[str]]:
    """All fields of events and their parts, each with the values of its closed vocabulary, if it has one."""
    schema = TypeAdapter[Any](Event | CompactionEvent | RedactionEvent).json_schema()
    found: dict[str, frozenset[str]] = {}
    for model in schema["$defs"].values():
        for name, kept in model.get("properties", {}).items():
            found[name] = found.get(name, frozenset()).union(_values(kept, schema["$defs"]))
    return found


@cache
def all_words() -> frozenset[str]:
    """All of them: what somebody is called may be one, and is then no sign of the person."""
    return frozenset(vocabularies()).union(*vocabularies().values())


def _values(kept: Schema, known: dict[str, Schema]) -> Iterator[str]:
    """Words that a property's schema lists."""
    if "$ref" in kept:
        yield from _values(known[kept["$ref"].rpartition("/")[2]], known)
    for one in kept.get("anyOf", ()):
        yield from _values(one, known)
    words = [*kept.get("enum", ()), kept.get("const")]
    yield from (word for word in words if isinstance(word, str))
