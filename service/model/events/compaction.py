"""The event by which a branch's view becomes a summary. The service makes it, and no platform."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from service.model.events.base import ClientId, EventBase, Name, Strict, Text
from service.model.vocabulary import LineKind, PrivacyClass, Visibility

LINES_PER_COMPACTION_MAX = 1000
Seq = Annotated[StrictInt, Field(ge=1)]


class RecordedLine(Strict):
    """A summary line with what governs it. It names people, seats and what it stands for by the service's
    uids."""

    line_kind: LineKind
    text: Text
    first_seq: Seq
    last_seq: Seq
    item_count: Seq
    participant_uid: str
    visibility: Visibility
    shared_with: list[str] = []
    privacy_class: PrivacyClass
    subject_uids: list[str] = []
    item_uids: list[str] = []
    line_uids: list[str] = []
    uid: str | None = None
    """Of a line of the compaction before that is taken over as it is."""


class CompactionEvent(EventBase):
    """From here on the branch's view is this summary for everything up to `until_seq`, and the log as it is
    beyond. Nothing that it covers is changed."""

    kind: Literal["compaction"]
    compaction_id: ClientId
    participant_id: ClientId | None = None
    """By whom; None: by the service, because the branch had grown long."""
    after_seq: Annotated[StrictInt, Field(ge=0)]
    until_seq: Seq
    transcript_tokens: Annotated[StrictInt, Field(ge=0)]
    """What the transcript up to `until_seq` costs."""
    summariser: Name
    policy_version: Name
    lines: Annotated[list[RecordedLine], Field(max_length=LINES_PER_COMPACTION_MAX)]
