"""Compacting a branch, and the way back from a line of its summary."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt

from service.api.shapes.branch import SummaryLineShown
from service.api.shapes.recording import Answer
from service.model.events import ClientId, Strict
from service.model.vocabulary import Label


class CompactBody(Strict):
    """How far. Without `until_seq` and `keep_tokens` the configuration says how much stays verbatim."""

    conversation_id: ClientId
    compaction_id: ClientId
    """Yours, new in your tenant; the same id again answers the same."""
    participant_id: ClientId | None = None
    """Who compacts. Left out: nobody in particular."""
    until_seq: Annotated[StrictInt, Field(ge=1, le=2**53)] | None = None
    """Cover everything up to this event; at most the one before the newest user message."""
    keep_tokens: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    """Or: leave so many tokens of the newest transcript as they are."""


class CompactedBranch(Answer):
    """Where the compaction stands in the log. The branch's transcript has its lines."""

    compaction_id: str
    event_uid: str
    seq: int
    consistency_token: str
    repeated: bool
    """Whether it had been made before."""


class SummarisedItemShown(Answer):
    """A message or a tool memory that a line stands for."""

    uid: str
    kind: Label
    """`Message` or `ToolMemory`."""
    seq: int
    event_uid: str
    """The event that recorded it, exactly: `GET /v1/events/{event_uid}`."""
    message_id: str | None
    artifact_uid: str | None
    """Of a tool memory: `POST /v1/artifacts/{artifact_uid}/rehydrate` gives the exact result."""
    text: str
    """The whole message, or the memory's headline."""


class ResolvedLine(Answer):
    """A summary line, and a page of what it stands for, oldest first."""

    line: SummaryLineShown
    items: list[SummarisedItemShown]
    """As far as the asker may see them."""
    next_cursor: str | None
    """Give it as `cursor` for the next page; null where this is the last one."""
