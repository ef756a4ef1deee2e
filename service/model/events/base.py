"""What events are made of: ids and texts, the parts of a message, and what every event may say."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    StringConstraints,
)

from service.model.portable import in_utc, portable, storable, written
from service.model.vocabulary import (
    PrivacyClass,
    Visibility,
)

ID_CHARS_MAX = 128
NAME_CHARS_MAX = 256
EVENTS_PER_BATCH_MAX = 1000
PARTS_PER_MESSAGE_MAX = 256
IDS_PER_LIST_MAX = 64
MEMORY_FIELDS_MAX = 64
SUMMARY_CHARS_MAX = 2000
MAIN_BRANCH = "main"

Text = Annotated[str, AfterValidator(storable)]
ClientId = Annotated[str, StringConstraints(min_length=1, max_length=ID_CHARS_MAX), AfterValidator(storable)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=NAME_CHARS_MAX), AfterValidator(storable)]
IdList = Annotated[list[ClientId], Field(max_length=IDS_PER_LIST_MAX)]
UtcTime = Annotated[AwareDatetime, BeforeValidator(written), AfterValidator(in_utc)]
Json = Annotated[Any, AfterValidator(portable)]


class Strict(BaseModel):
    """Base of every shape: frozen, and no field that is not named. Numbers and flags are pydantic's strict
    ones; strict times and enumerations would refuse the strings that JSON has for them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class TextPart(Strict):
    """Words that somebody wrote."""

    type: Literal["text"]
    content: Text


class ReasoningPart(Strict):
    """A model's own thinking; it never enters another participant's context."""

    type: Literal["reasoning"]
    content: Text


class ToolCallPart(Strict):
    """A call that an assistant message asks for; it makes the same ToolCall as a `tool_call` event."""

    type: Literal["tool_call"]
    id: ClientId
    name: Name
    arguments: Json = None


class ToolCallResponsePart(Strict):
    """A tool's answer; it makes the same ToolArtifact as a `tool_result` event."""

    type: Literal["tool_call_response"]
    id: ClientId
    response: Json = None


class BlobPart(Strict):
    """An image or a file, by reference to stored bytes, with what it costs a model."""

    type: Literal["image", "file"]
    file_id: ClientId
    mime_type: Name
    tokens: Annotated[StrictInt, Field(ge=0, le=10_000_000)]
    name: Name | None = None


class OtherPart(Strict):
    """Anything else a provider has; kept as it came and rendered only for that provider."""

    type: Literal["other"]
    name: Name
    content: Json = None


Part = Annotated[
    TextPart | ReasoningPart | ToolCallPart | ToolCallResponsePart | BlobPart | OtherPart,
    Field(discriminator="type"),
]


class EventBase(Strict):
    """What every event may say of itself."""

    occurred_at: UtcTime | None = None
    """When it happened, by the client's clock; the service adds its own."""
    subject_ids: IdList = []
    """The people whose data this holds; empty: the conversation's user and the participant's."""


class Governed(EventBase):
    """An event whose item a model may or may not see. Defaults are the strictest the kind allows."""

    participant_id: ClientId
    """Who wrote it or owns it."""
    visibility: Visibility | None = None
    shared_with: IdList = []
    """Participants who see it beside its owner."""
    privacy_class: PrivacyClass | None = None
    """May tighten what the service would choose, never loosen it."""
