"""The words that events are made of: names of their fields, and values of their closed vocabularies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from service.model.events import CompactionEvent, Event, RedactionEvent

Schema = dict[str, Any]


@cache
def field_names() -> frozenset[str]:
    """What the fields of all events and their parts are called."""
    return frozenset(name for name, _ in _properties())


@cache
def vocabularies() -> dict[str, frozenset[str]]:
    """The values that a field of a closed vocabulary may have, by its name."""
    found: dict[str, frozenset[str]] = {}
    for name, values in _properties():
        if values:
            found[name] = found.get(name, frozenset()) | values
    return found


@cache
def all_words() -> frozenset[str]:
    """All of them: what somebody is called may be one, and is then no sign of the person."""
    return field_names().union(*vocabularies().values())


def _properties() -> Iterator[tuple[str, frozenset[str]]]:
    schema = TypeAdapter[Any](Event | CompactionEvent | RedactionEvent).json_schema()
    for model in schema["$defs"].values():
        for name, kept in model.get("properties", {}).items():
            yield name, frozenset(_values(kept, schema["$defs"]))


def _values(kept: Schema, known: dict[str, Schema]) -> Iterator[str]:
    """Words that a property's schema lists."""
    if "$ref" in kept:
        yield from _values(known[kept["$ref"].rpartition("/")[2]], known)
    for one in kept.get("anyOf", ()):
        yield from _values(one, known)
    words = [*kept.get("enum", ()), kept.get("const")]
    yield from (word for word in words if isinstance(word, str))
