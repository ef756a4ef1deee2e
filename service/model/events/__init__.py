"""The events a platform may record: the contract of `POST /v1/events`, the importers and the log.

Names are the graph's property names. Ids are made by the client, at most 128 characters, unique per tenant
and kind (participant and branch ids: per conversation). Unknown fields are refused.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt

from service.model.events.base import (
    EVENTS_PER_BATCH_MAX,
    ID_CHARS_MAX,
    MAIN_BRANCH,
    MEMORY_FIELDS_MAX,
    NAME_CHARS_MAX,
    BlobPart,
    ClientId,
    EventBase,
    Governed,
    IdList,
    Name,
    OtherPart,
    Part,
    ReasoningPart,
    Strict,
    Text,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    UtcTime,
)
from service.model.events.branches import (
    CloseEvent,
    ConversationEvent,
    ForkEvent,
    MergeEvent,
    ParticipantEvent,
    RenameEvent,
    ReopenEvent,
)
from service.model.events.claims import ClaimEvent, DocumentReference, EvidenceLink
from service.model.events.compaction import CompactionEvent, RecordedLine
from service.model.events.redaction import RedactionEvent
from service.model.events.state import (
    CheckpointEvent,
    PinEvent,
    ReleaseEvent,
    ResumeEvent,
    SkillStateEvent,
    UnpinEvent,
    WorkingMemoryEvent,
)
from service.model.events.user_memories import RetractEvent, UserMemoryEvent
from service.model.events.work import (
    MessageEvent,
    ModelRunEvent,
    ToolCallEvent,
    ToolResultEvent,
)

__all__ = [
    "EVENTS_PER_BATCH_MAX",
    "ID_CHARS_MAX",
    "MAIN_BRANCH",
    "MEMORY_FIELDS_MAX",
    "NAME_CHARS_MAX",
    "AnyBatch",
    "Batch",
    "BlobPart",
    "CheckpointEvent",
    "ClaimEvent",
    "ClientId",
    "CloseEvent",
    "CompactionBatch",
    "CompactionEvent",
    "ConversationEvent",
    "DocumentReference",
    "Event",
    "EventBase",
    "EvidenceLink",
    "ForkEvent",
    "Governed",
    "IdList",
    "MergeEvent",
    "MessageEvent",
    "ModelRunEvent",
    "Name",
    "OtherPart",
    "Part",
    "ParticipantEvent",
    "PinEvent",
    "ReasoningPart",
    "RecordedLine",
    "RedactionBatch",
    "RedactionEvent",
    "ReleaseEvent",
    "RenameEvent",
    "ReopenEvent",
    "ResumeEvent",
    "RetractEvent",
    "SkillStateEvent",
    "Strict",
    "Text",
    "TextPart",
    "ToolCallEvent",
    "ToolCallPart",
    "ToolCallResponsePart",
    "ToolResultEvent",
    "UnpinEvent",
    "UserMemoryEvent",
    "UtcTime",
    "WorkingMemoryEvent",
]

Event = Annotated[
    ConversationEvent
    | ParticipantEvent
    | ForkEvent
    | RenameEvent
    | CloseEvent
    | ReopenEvent
    | MergeEvent
    | MessageEvent
    | ModelRunEvent
    | ToolCallEvent
    | ToolResultEvent
    | ClaimEvent
    | UserMemoryEvent
    | RetractEvent
    | PinEvent
    | UnpinEvent
    | SkillStateEvent
    | WorkingMemoryEvent
    | CheckpointEvent
    | ResumeEvent
    | ReleaseEvent,
    Field(discriminator="kind"),
]


class _Addressed(Strict):
    conversation_id: ClientId
    branch_id: ClientId = MAIN_BRANCH
    expected_head: Annotated[StrictInt, Field(ge=0)] | None = None
    """The branch's head as the client knows it; a mismatch answers 409 with the head. Left out: append."""


class Batch(_Addressed):
    """Events for one branch, applied together or not at all."""

    events: Annotated[list[Event], Field(min_length=1, max_length=EVENTS_PER_BATCH_MAX)]


class CompactionBatch(_Addressed):
    """What the service itself records when it compacts a branch."""

    events: Annotated[list[CompactionEvent], Field(min_length=1, max_length=1)]


class RedactionBatch(_Addressed):
    """What the service itself records when people are erased from what others said, or what is wrong put
    right."""

    events: Annotated[list[RedactionEvent], Field(min_length=1, max_length=EVENTS_PER_BATCH_MAX)]


AnyBatch = Batch | CompactionBatch | RedactionBatch
