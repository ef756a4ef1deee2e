"""Branches as people read them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from service.api.shapes.recording import Answer
from service.model.vocabulary import ParticipantKind, Role, Visibility


class SpeakerShown(Answer):
    """Who said it."""

    participant_id: str
    name: str
    """The display name, or the id where there is none."""
    participant_kind: ParticipantKind


class TranscriptMessage(Answer):
    """Something said."""

    kind: Literal["message"] = "message"
    """What the entry is. Other kinds may come between messages: read on over one that you do not know."""
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


class Transcript(Answer):
    """A page of what was said on a branch's lineage, oldest first."""

    branch_id: str
    title: str | None
    closed: bool
    """Whether it takes no events until it is reopened."""
    head: int
    """The branch's newest seq."""
    entries: list[TranscriptMessage]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null where this page reaches the head."""
