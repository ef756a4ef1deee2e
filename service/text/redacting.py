"""Take what a person is called out of texts and data: whole names, in any case, as they are or as JSON spells
them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from service.model.events.words import vocabularies

REDACTED: Final = "[redacted]"
NAME_CHARS_MIN: Final = 3
"""A shorter name is too often part of something else."""

Redact = Callable[[str], str]


def redactor(names: Iterable[str]) -> Redact:
    """A function from a text to the text without these names; a text without any of them stays as it is."""
    said = {name.strip() for name in names}
    spelled = {
        one
        for name in said
        for one in (name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1])
    }
    kept = sorted((one for one in spelled if len(one) >= NAME_CHARS_MIN), key=lambda one: (-len(one), one))
    if not kept:
        return str
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, kept))})(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub(REDACTED, text)


def redacted(value: Any, redact: Redact, field: str = "") -> Any:
    """The body of an event with what people say redacted: its fields and its vocabularies stay, whoever is
    called so."""
    match value:
        case str():
            return value if value in vocabularies().get(field, ()) else redact(value)
        case list():
            return [redacted(one, redact, field) for one in value]
        case dict():
            return {
                name if name in vocabularies() else redact(name): redacted(one, redact, name)
                for name, one in value.items()
            }
        case _:
            return value
