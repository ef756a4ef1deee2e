"""Events about what is neither talk nor tools: pins, loaded skills, working memory, checkpoints, releases."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt, StringConstraints, model_validator

from service.model.events.base import (
    IDS_PER_LIST_MAX,
    MEMORY_FIELDS_MAX,
    SUMMARY_CHARS_MAX,
    ClientId,
    EventBase,
    Governed,
    IdList,
    Name,
    Text,
)
from service.model.vocabulary import Outcome, PinKind


class PinEvent(Governed):
    """A text that enters every context of its branch word for word: given here, or a message's."""

    kind: Literal["pin"]
    pin_id: ClientId
    pin_kind: PinKind
    text: Text | None = None
    message_id: ClientId | None = None
    """In place of `text`: the message whose words are pinned."""

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


class WorkingMemoryEvent(Governed):
    """What a participant notes down for itself: a patch of its fields, or its free block anew. What the patch
    does not name stays as it was; the newest version stands."""

    kind: Literal["working_memory"]
    expected_version: Annotated[StrictInt, Field(ge=0, le=2**53)]
    """The version as the participant knows it, 0 for none yet; a mismatch answers 409 with the version."""
    fields: Annotated[dict[Name, Text | None], Field(max_length=MEMORY_FIELDS_MAX)] | None = None
    """Values by name; null clears a field."""
    block: Text | None = None
    """Replaces the whole block; null clears it."""

    @model_validator(mode="after")
    def has_one_patch(self) -> WorkingMemoryEvent:
        """Fields or block, not both; a null block counts as given."""
        patches_fields, patches_block = self.fields is not None, "block" in self.model_fields_set
        if patches_fields is patches_block:
            raise ValueError("a working memory is written by either fields or a block")
        return self


class CheckpointEvent(Governed):
    """Where a run can be taken up again: a continuation sees the branch as it stood here, and what was
    released to it since."""

    kind: Literal["checkpoint"]
    checkpoint_id: ClientId
    run_id: ClientId | None = None
    """The run that is saved."""
    parent_run_id: ClientId | None = None
    """The run that started the one which is saved; left out: as that run's event says."""
    pending_call_ids: IdList = []
    """Calls that nobody had answered yet."""
    child_participant_ids: IdList = []
    """Subagents that were still at work."""
    budgets: dict[Name, Annotated[StrictInt, Field(ge=0, le=2**53)]] = Field(
        default={}, max_length=IDS_PER_LIST_MAX
    )
    """What was left of the platform's own budgets, by name; kept and given back as they are."""


class ResumeEvent(EventBase):
    """A run takes its participant's checkpoint up, once on each branch. Recorded in the batch of the run."""

    kind: Literal["resume"]
    participant_id: ClientId
    """Whose checkpoint and run these are."""
    checkpoint_id: ClientId
    run_id: ClientId


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
