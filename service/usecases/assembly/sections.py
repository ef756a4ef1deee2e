"""What a written context consists of."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.vocabulary import Role, Section
from service.text.render import JsonObject, Turn


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item of a section: the service's id, its place in the log, what it costs, and why it is in."""

    uid: str
    kind: str
    seq: int
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class SectionText:
    """A section as the model reads it.

    `authoritative` is true for rules, date, persona and the user's own request; all else is data.
    """

    section: Section
    role: Role
    authoritative: bool
    text: str
    tokens: int
    items: tuple[ItemRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """The context: sections in order, the same as turns and as a provider's request, and what that costs.

    `tokens` counts the request as it stands, with its framing and its tool schemas; the sections' tokens are
    those of their texts.
    """

    sections: tuple[SectionText, ...]
    turns: tuple[Turn, ...]
    request: JsonObject
    tokens: int
    prefix_tokens: int
    """What stays the same from one context to the next: the tool schemas and the system text."""
