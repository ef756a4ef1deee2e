"""What a checkpoint saved, and taking it up."""

from __future__ import annotations

from datetime import datetime

from service.api.shapes.recording import Answer
from service.model.events import MAIN_BRANCH, ClientId, Name, Strict
from service.model.vocabulary import CallStatus, Outcome


class ResumeBody(Strict):
    """Who takes the checkpoint up, where, and as which run."""

    conversation_id: ClientId
    branch_id: ClientId = MAIN_BRANCH
    """The checkpoint's branch, or one that inherits it."""
    participant_id: ClientId
    """The checkpoint's own."""
    run_id: ClientId
    """The new run; the same one again is answered the same and writes nothing."""
    provider: Name | None = None
    model: Name | None = None


class SavedMemory(Answer):
    """What was noted down."""

    version: int
    fields: dict[str, str]
    block: str | None


class ChildNow(Answer):
    """A subagent that ran at the checkpoint, and how it has ended since, where it has."""

    participant_id: str
    outcome: Outcome | None
    """Null while nothing was released to the participant."""
    summary: str | None
    seq: int | None
    """The release's."""


class CallNow(Answer):
    """A call that was open at the checkpoint, and what has become of it on this branch."""

    call_id: str
    tool_name: str
    call_status: CallStatus
    artifact_id: str | None
    """Of the result, where there is one: `POST /v1/artifacts/{artifact_id}/rehydrate` has its bytes."""
    seq: int | None
    """The result's."""


class TakenUp(Answer):
    """The run that took the checkpoint up on this branch."""

    run_id: str
    seq: int
    recorded_at: datetime


class CheckpointState(Answer):
    """The runtime state as it was saved, with what became of its calls and subagents since."""

    checkpoint_id: str
    branch_id: str
    """The branch on which it is read or taken up."""
    participant_id: str
    seq: int
    recorded_at: datetime
    run_id: str | None
    """The run that was saved."""
    parent_run_id: str | None
    skills: list[str]
    profiles: list[str]
    direct_tools: list[str]
    integrations: list[str]
    working_memory: SavedMemory | None
    budgets: dict[str, int]
    children: list[ChildNow]
    pending_calls: list[CallNow]
    taken_up: TakenUp | None
