"""What somebody stated of a person: a plain, frozen value that policies read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from service.model.candidates import Governance, Place
from service.model.vocabulary import MemoryKind


@dataclass(frozen=True, slots=True)
class UserMemory:
    """A fact, preference or instruction, with who stated it, when, and for how long.

    `effective_at` is when it was stated, or when it begins to hold if that is later.
    """

    uid: str
    memory_id: str
    conversation_uid: str
    place: Place
    user_uid: str
    kind: MemoryKind
    subject: str
    predicate: str
    memory_key: str
    stated_by: str
    confidence: float
    effective_at: datetime
    recorded_at: datetime
    governance: Governance
    subject_uids: tuple[str, ...]
    agent: str | None = None
    """The one agent profile whose contexts have it."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    retracted_at: datetime | None = None
    value: str = ""
    """Left empty where it was read as one that others supersede."""
    tokens: int = 0
    superseded_by: tuple[str, ...] = ()
    """Uids of those that were found to supersede it when they were recorded, and have taken effect."""
