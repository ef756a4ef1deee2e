"""Events about what is known of a person for good: stated by somebody, never observed by a tool."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictFloat, StringConstraints, model_validator

from service.model.events.base import ClientId, EventBase, Governed, IdList, Name, Text, UtcTime
from service.model.vocabulary import MemoryKind

VALUE_CHARS_MAX = 2000


class UserMemoryEvent(Governed):
    """A fact, a preference or an instruction of a person. It holds in all conversations of that person until
    a later one about the same supersedes it, its time is over, or it is retracted.

    `participant_id` is who states it: the person's own seat, or the agent that has understood it so.
    """

    kind: Literal["user_memory"]
    memory_id: ClientId
    user_id: ClientId | None = None
    """Whom it is about; left out: the conversation's user."""
    memory_kind: MemoryKind
    subject: Name
    """What it says something about, such as `seat`. Case, blanks and punctuation make no difference."""
    predicate: Name
    """What it says of that, such as `prefers`; compared like the subject."""
    value: Annotated[Text, StringConstraints(min_length=1, max_length=VALUE_CHARS_MAX)]
    valid_from: UtcTime | None = None
    valid_until: UtcTime | None = None
    """From then on it holds no longer."""
    confidence: Annotated[StrictFloat, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0
    message_ids: IdList = []
    """Messages of this lineage in which it was said."""
    agent: Name | None = None
    """The one agent profile whose contexts have it; left out: those of all agents."""
    replaces_memory_id: ClientId | None = None
    """The memory that this one corrects, whoever stated that: same person, subject, predicate and reach."""

    @model_validator(mode="after")
    def holds_for_some_time(self) -> UserMemoryEvent:
        """What ends before it begins says nothing."""
        if self.valid_from and self.valid_until and self.valid_until <= self.valid_from:
            raise ValueError("valid_until must be later than valid_from")
        return self


class RetractEvent(EventBase):
    """Ends a user memory, in all conversations. What it had superseded stays superseded."""

    kind: Literal["retract"]
    participant_id: ClientId
    """Who retracts it."""
    memory_id: ClientId
