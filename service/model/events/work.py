"""Events of the work itself: what was said, which model ran, which tool was asked and what it answered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, model_validator

from service.model.events.base import (
    PARTS_PER_MESSAGE_MAX,
    ClientId,
    EventBase,
    Governed,
    IdList,
    Json,
    Name,
    Part,
    Text,
    UtcTime,
)
from service.model.vocabulary import (
    CallStatus,
    Freshness,
    PrivacyClass,
    Role,
    RunStatus,
    RuntimeKind,
    Visibility,
)


class MessageEvent(Governed):
    """Something said. `system` messages are kept for the record; a context gets its rules from
    configuration."""

    kind: Literal["message"]
    message_id: ClientId
    role: Role
    parts: Annotated[list[Part], Field(min_length=1, max_length=PARTS_PER_MESSAGE_MAX)]
    run_id: ClientId | None = None

    @property
    def answers(self) -> bool:
        """Whether it is what a model run answered."""
        return self.role is Role.ASSISTANT and self.run_id is not None


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
