"""Branches as people read them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from service.api.shapes.recording import Answer
from service.model.vocabulary import EventKind, LineKind, ParticipantKind, PinKind, Role, Visibility


class SpeakerShown(Answer):
    """Who said it."""

    participant_id: str
    name: str
    """The display name, or the id where there is none."""
    participant_kind: ParticipantKind


class TranscriptMessage(Answer):
    """Something said."""

    kind: Literal["message"]
    seq: int
    """Its place: in one branch's transcript no other entry has it, and later entries have a greater one."""
    message_id: str
    uid: str
    speaker: SpeakerShown
    role: Role
    text: str
    """The words; images and files by their names."""
    parts: list[dict[str, Any]]
    """Where it has images or files: these and the words, in order. Else empty."""
    visibility: Visibility
    inherited: bool
    """Whether it was said on an ancestor, before the branch was forked."""
    occurred_at: datetime
    """By the client's clock, where it gave a time."""
    recorded_at: datetime
    redacted_by: str | None
    """The uid of the event by which it reads as it does; null where it reads as it was recorded."""


class SummaryLineShown(Answer):
    """A line of a compaction's summary."""

    uid: str
    """`GET /v1/summary-lines/{uid}` answers what it stands for."""
    line_kind: LineKind
    text: str
    first_seq: int
    last_seq: int
    item_count: int
    """How many messages and tool memories between those seqs it stands for."""


class CompactionMark(Answer):
    """From here on contexts of the branch see what stands up to `until_seq` as these lines."""

    kind: Literal["compaction"]
    seq: int
    compaction_id: str
    uid: str
    participant_id: str | None
    """By whom; null: by the service, because the branch had grown long."""
    after_seq: int
    """Where the compaction before it ended, whose lines it folds in; 0 without one."""
    until_seq: int
    summariser: str
    """`structured`: by rule; else a language model's name."""
    policy_version: str
    lines: list[SummaryLineShown]
    """The whole summary, as far as the asker may see it."""
    inherited: bool
    recorded_at: datetime


Entry = Annotated[TranscriptMessage | CompactionMark, Field(discriminator="kind")]
"""Other kinds may come between messages: read on over one that you do not know."""


class Transcript(Answer):
    """A page of what was said on a branch's lineage, oldest first."""

    branch_id: str
    title: str | None
    closed: bool
    """Whether it takes no events until it is reopened."""
    head: int
    """The branch's newest seq."""
    entries: list[Entry]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null where this page reaches the head."""


class WorkingMemoryVersion(Answer):
    """What one write changed of a working memory."""

    version: int
    seq: int
    inherited: bool
    """Whether it was written on an ancestor, before the branch was forked."""
    recorded_at: datetime
    changed: dict[str, str | None]
    """Fields that are different from the version before, with their new values; null: cleared."""
    block_changed: bool
    block: str | None
    """The block as this version has it."""


class WorkingMemoryRead(Answer):
    """What a participant has noted down on a branch, and a page of how it came to be, oldest first."""

    branch_id: str
    participant_id: str
    version: int
    """What the next write expects; 0 where there is none yet."""
    fields: dict[str, str]
    block: str | None
    history: list[WorkingMemoryVersion]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null where this page has the standing version."""


class PinShown(Answer):
    """A pin that stands."""

    uid: str
    pin_id: str
    pin_kind: PinKind
    participant_id: str | None
    """Who pinned it."""
    text: str
    """Its own, or the message's that it keeps; to the byte."""
    message_id: str | None
    visibility: Visibility
    seq: int
    inherited: bool
    """Whether it was pinned on an ancestor, before the branch was forked."""
    recorded_at: datetime


class Pins(Answer):
    """The pins that stand on a branch, oldest first."""

    branch_id: str
    head: int
    """The branch's newest seq."""
    pins: list[PinShown]


class CommonEvent(Answer):
    """The newest event that both branches read."""

    branch_id: str
    """The branch that recorded it."""
    seq: int


class BranchBeyond(Answer):
    """What a branch has beyond the common event, its own and what it inherits of other ancestors."""

    branch_id: str
    title: str | None
    closed: bool
    first_seq: int | None
    """The first event beyond; null where there is none."""
    last_seq: int | None
    """The newest event, which is the branch's head."""
    events: dict[EventKind, int]
    """How many events of each kind the log has there, those included that the asker may not read."""
    entries: list[Entry]
    """The first messages and compactions beyond, as the asker may see them."""
    next_cursor: str | None
    """The transcript of this branch goes on from here; null where the entries reach the head."""


class BranchComparison(Answer):
    """Where two branches part, and what each has beyond."""

    common: CommonEvent
    first: BranchBeyond
    second: BranchBeyond
