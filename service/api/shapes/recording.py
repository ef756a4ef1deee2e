"""What recording answers."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """Base of what the service answers."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class RecordedEvent(Answer):
    """One event's place in the log."""

    seq: int
    """Its number in the branch's lineage, from 1, without gap."""
    uid: str
    """The service's own id of the event."""


class RecordedBatch(Answer):
    """A batch that is in the log."""

    head: int
    """The branch's newest seq after this batch."""
    events: list[RecordedEvent]
    """In the order of the batch."""
    consistency_token: str
    """Give it to a read (`Consistency-Token`) that must see this batch."""
    repeated: bool
    """True when the same batch had been applied before; nothing was applied again."""
