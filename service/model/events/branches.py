"""Events that open, seat, name and join: conversations, participants, branches."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from service.model.events.base import MAIN_BRANCH, ClientId, EventBase, Name
from service.model.vocabulary import ParticipantKind, RuntimeKind


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
