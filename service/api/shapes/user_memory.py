"""What is known of a person."""

from __future__ import annotations

from datetime import datetime

from service.api.shapes.recording import Answer
from service.model.verdict import Reason
from service.model.vocabulary import MemoryKind, PrivacyClass, Visibility


class UserMemoryShown(Answer):
    """One fact, preference or instruction."""

    uid: str
    memory_id: str
    memory_kind: MemoryKind
    subject: str
    predicate: str
    value: str
    confidence: float
    valid_from: datetime | None
    valid_until: datetime | None
    effective_at: datetime
    """When it was stated, or begins to hold if that is later: the later one of two supersedes."""
    recorded_at: datetime
    retracted_at: datetime | None
    agent: str | None
    """The one agent profile whose contexts have it."""
    visibility: Visibility
    privacy_class: PrivacyClass
    reason: Reason | None
    """Why no context has it now; null where it is in force."""
    superseded_by: str | None
    """The `memory_id` of the one that stands for it."""
    conflicts_with: list[str]
    """The `memory_id`s of those in force that say otherwise: both are shown, and nobody decides."""


class RankedUserMemory(UserMemoryShown):
    """The same in a ranking."""

    relevance: float | None
    """To the query, from 0 to 1; null without one, and for what is superseded."""


class UserMemories(Answer):
    """A page of what is known of a person."""

    user_id: str
    memories: list[RankedUserMemory]
    omitted: dict[Reason, int]
    """How many are not in force or not for this reader, by reason; those of all pages."""
    next_cursor: str | None
    """Give it as `cursor` for the next page, which is of the same moment; null at the end."""


class UserMemoryHistory(UserMemoryShown):
    """One memory and how it came to stand."""

    user_id: str
    message_ids: list[str]
    """Messages in which it was said."""
    history: list[UserMemoryShown]
    """What else was stated of the same subject and predicate, newest first, at most 256."""
