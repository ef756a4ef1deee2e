"""The events a platform may record: the contract of `POST /v1/events`, the importers and the log.

Names are the graph's property names. Ids are made by the client, at most 128 characters, unique per tenant
and kind (participant and branch ids: per conversation). Unknown fields are refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_validator,
)

from service.model.portable import in_utc, portable, storable, written
from service.model.vocabulary import (
    CallStatus,
    Freshness,
    Outcome,
    ParticipantKind,
    PinKind,
    PrivacyClass,
    Role,
    RunStatus,
    RuntimeKind,
    Visibility,
)

ID_CHARS_MAX = 128
NAME_CHARS_MAX = 256
EVENTS_PER_BATCH_MAX = 1000
PARTS_PER_MESSAGE_MAX = 256
IDS_PER_LIST_MAX = 64
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


class ConversationEvent(EventBase):
    """Opens a conversation and its branch `main`. The first event of the first batch."""

    kind: Literal["conversation"]
    title: Name | None = None
    user_id: ClientId | None = None
    runtime_kind: RuntimeKind = RuntimeKind.CHAT


class ParticipantEvent(EventBase):
    """Gives somebody a seat. Recorded on `main`."""

    kind: Literal["participant"]
    participant_id: ClientId
    participant_kind: ParticipantKind
    display_name: Name | None = None
    user_id: ClientId | None = None
    agent: Name | None = None
    """The agent profile that tunes this seat's context."""
    parent_participant_id: ClientId | None = None


class ForkEvent(EventBase):
    """Opens a branch that inherits another one up to `at_seq` (its head when left out). Recorded on
    `main`."""

    kind: Literal["fork"]
    branch_id: ClientId
    parent_branch_id: ClientId = MAIN_BRANCH
    at_seq: Annotated[StrictInt, Field(ge=1)] | None = None
    at_message_id: ClientId | None = None
    """Instead of `at_seq`: fork right after this message of the parent's lineage."""
    title: Name | None = None


class RenameEvent(EventBase):
    """Gives the branch another title."""

    kind: Literal["rename"]
    title: Name


class CloseEvent(EventBase):
    """Closes the branch: it takes no further events until it is reopened. It can be read, assembled on and
    forked as before; its forks stay open."""

    kind: Literal["close"]


class ReopenEvent(EventBase):
    """Opens a closed branch again."""

    kind: Literal["reopen"]


class MergeEvent(EventBase):
    """Shows on this branch, as shared from elsewhere, the messages and tool memories that another one has
    beyond their common event, up to a seq. The event before this one and that seq are its two parents."""

    kind: Literal["merge"]
    from_branch_id: ClientId
    from_seq: Annotated[StrictInt, Field(ge=1)]


class MessageEvent(Governed):
    """Something said. `system` messages are kept for the record; a context gets its rules from
    configuration."""

    kind: Literal["message"]
    message_id: ClientId
    role: Role
    parts: Annotated[list[Part], Field(min_length=1, max_length=PARTS_PER_MESSAGE_MAX)]
    run_id: ClientId | None = None


class ModelRunEvent(Governed):
    """One attempt of a model to answer; it has seen all that came before it."""

    kind: Literal["model_run"]
    run_id: ClientId
    run_status: RunStatus = RunStatus.COMPLETED
    runtime_kind: RuntimeKind = RuntimeKind.CHAT
    provider: Name | None = None
    model: Name | None = None
    assembly_id: ClientId | None = None
    """The context it was given: what `POST /v1/assemble` answered."""
    parent_run_id: ClientId | None = None
    input_tokens: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    output_tokens: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    error: Text | None = None


class ToolCallEvent(Governed):
    """A tool was asked for. Its artifact is captured at once, pending until a result comes."""

    kind: Literal["tool_call"]
    call_id: ClientId
    tool_name: Name
    tool_version: Name | None = None
    arguments: Json = None
    """As the model gave them: an object, or the string when it was not JSON."""
    call_status: Literal[CallStatus.PENDING, CallStatus.DEFERRED] = CallStatus.PENDING
    message_id: ClientId | None = None
    run_id: ClientId | None = None
    parent_call_id: ClientId | None = None
    batch_id: ClientId | None = None
    active_skills: IdList = []
    active_profiles: IdList = []
    provider: Name | None = None
    runtime_kind: RuntimeKind = RuntimeKind.CHAT
    isolation_policy: Name | None = None
    retry_critical: StrictBool = False


class ToolResultEvent(EventBase):
    """What a tool answered, whole, before anybody shortens it."""

    kind: Literal["tool_result"]
    call_id: ClientId
    call_status: Literal[
        CallStatus.EXECUTED, CallStatus.FAILED, CallStatus.DEFERRED, CallStatus.CANCELLED
    ] = CallStatus.EXECUTED
    result: Json = None
    """A string is kept to the byte; anything else as JSON."""
    error: Text | None = None
    privacy_class: PrivacyClass | None = None
    visibility: Visibility | None = None
    shared_with: IdList = []
    freshness: Freshness | None = None
    stale_after: UtcTime | None = None
    retry_critical: StrictBool = False

    @model_validator(mode="after")
    def says_what_happened(self) -> ToolResultEvent:
        """A failure names its error; a success has none."""
        if self.call_status is CallStatus.EXECUTED and self.error is not None:
            raise ValueError("an executed call has no error: give call_status failed, or leave error out")
        if self.call_status is CallStatus.FAILED and self.error is None and self.result is None:
            raise ValueError("a failed call needs an error or a result")
        return self


class PinEvent(Governed):
    """A text that enters every context of its branch word for word: given here, or a message's."""

    kind: Literal["pin"]
    pin_id: ClientId
    pin_kind: PinKind
    text: Text | None = None
    message_id: ClientId | None = None

    @model_validator(mode="after")
    def has_one_source(self) -> PinEvent:
        """Text or message, not both."""
        if (self.text is None) == (self.message_id is None):
            raise ValueError("a pin has either a text or a message_id")
        return self


class UnpinEvent(EventBase):
    """Ends a pin on this branch and on what forks from it later."""

    kind: Literal["unpin"]
    pin_id: ClientId


class SkillStateEvent(Governed):
    """What a participant has loaded; the newest one stands."""

    kind: Literal["skill_state"]
    skills: IdList = []
    profiles: IdList = []
    direct_tools: IdList = []
    integrations: IdList = []


class CheckpointEvent(Governed):
    """Where a run can be taken up again: a continuation sees the branch as it stood here, and what was
    released to it since."""

    kind: Literal["checkpoint"]
    checkpoint_id: ClientId
    run_id: ClientId | None = None
    pending_call_ids: IdList = []
    child_participant_ids: IdList = []
    budgets: dict[Name, Annotated[StrictInt, Field(ge=0, le=2**53)]] = Field(
        default={}, max_length=IDS_PER_LIST_MAX
    )


class ReleaseEvent(EventBase):
    """How a subagent ended, and what its parent may see of it: by default its last message."""

    kind: Literal["release"]
    participant_id: ClientId
    """The subagent."""
    outcome: Outcome = Outcome.COMPLETED
    to: IdList = []
    """Who may see it; empty: the subagent's parent."""
    message_ids: IdList = []
    call_ids: IdList = []
    """Calls whose memories are released; raw bytes stay where they are."""
    summary: Annotated[Text, StringConstraints(max_length=SUMMARY_CHARS_MAX)] | None = None
    """For what did not complete: what the parent needs to know."""


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
    | PinEvent
    | UnpinEvent
    | SkillStateEvent
    | CheckpointEvent
    | ReleaseEvent,
    Field(discriminator="kind"),
]


class Batch(Strict):
    """Events for one branch, applied together or not at all."""

    conversation_id: ClientId
    branch_id: ClientId = MAIN_BRANCH
    expected_head: Annotated[StrictInt, Field(ge=0)] | None = None
    """The branch's head as the client knows it; a mismatch answers 409 with the head. Left out: append."""
    events: Annotated[list[Event], Field(min_length=1, max_length=EVENTS_PER_BATCH_MAX)]
