"""What an assembly chooses from: plain, frozen values that policies read.

A *place* is `(seq, part)`: a branch's sequence goes on from its fork's cut-off, so `seq` alone orders a
whole lineage; `part` counts the items that one event made. Tokens are those of the named encoding, counted
when the event was recorded; a line's count includes its newline.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from service.model.vocabulary import (
    CallStatus,
    Freshness,
    InsightKind,
    LineKind,
    Outcome,
    ParticipantKind,
    PinKind,
    PrivacyClass,
    Role,
    Section,
    Visibility,
)

Place = tuple[int, int]
ARROW = " -> "
"""Stands in a memory's headline between the call and what it answered."""


class Placed(Protocol):
    """Anything with the service's id and a place."""

    @property
    def uid(self) -> str:
        """The service's id."""
        ...

    @property
    def place(self) -> Place:
        """Where it stands."""
        ...


@dataclass(frozen=True, slots=True)
class Governance:
    """Who owns an item and who may see it; every candidate carries one."""

    participant_uid: str
    visibility: Visibility
    privacy_class: PrivacyClass
    branch_ref: int
    shared_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageCandidate:
    """A message that may enter as a real message (recent window) or be recalled."""

    uid: str
    place: Place
    role: Role
    text: str
    tokens: int
    recorded_at: datetime
    governance: Governance


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that a search found: how relevant it is, from 0 to 1, and each of its pieces, in order."""

    message: MessageCandidate
    relevance: float
    pieces: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CallCandidate:
    """A tool call with what is known of its result: the pair that enters together or not at all.

    `result` is None while the call is pending or deferred, or when its bytes are in the blob store and
    policy has not asked for them.
    """

    uid: str
    call_id: str
    place: Place
    tool_name: str
    arguments: str
    status: CallStatus
    governance: Governance
    artifact_uid: str
    result_place: Place | None
    result: str | None
    result_tokens: int
    arguments_tokens: int
    result_blob: str | None = None
    arguments_blob: str | None = None
    subject_uids: tuple[str, ...] = ()
    """The people of the result."""

    def arguments_text(self) -> str:
        """The arguments as a context shows them: large ones by a pointer, as the JSON object that is due."""
        if self.arguments_blob is None:
            return self.arguments
        return f'{{"cut":"[… {self.arguments_tokens:,} tokens of arguments, whole at @{self.place[0]} …]"}}'


@dataclass(frozen=True, slots=True)
class MemoryCandidate:
    """A tool memory: a headline that names tool, arguments and outcome, and the records kept of the
    result."""

    uid: str
    artifact_uid: str
    place: Place
    tool_name: str
    parameters: tuple[str, ...]
    headline: str
    headline_tokens: int
    records: tuple[str, ...]
    record_tokens: tuple[int, ...]
    record_key: str | None
    status: CallStatus
    freshness: Freshness
    observed_at: datetime
    recorded_at: datetime
    governance: Governance
    stale_after: datetime | None = None
    record_fields: tuple[str, ...] = ()
    retry_critical: bool = False
    result_tokens: int = 0
    result_bytes: int = 0
    repair_attempts: int = 0
    """How often in a row its source could not be read."""


@dataclass(frozen=True, slots=True)
class PinCandidate:
    """A text that must enter word for word, unless it was unpinned in this lineage.

    A pin of a message shows that message: `message_uid` and `message_governance` are set for one.
    """

    uid: str
    place: Place
    kind: PinKind
    text: str
    governance: Governance
    message_uid: str | None = None
    message_governance: Governance | None = None


@dataclass(frozen=True, slots=True)
class Speaker:
    """A seat of the conversation, as others name it."""

    uid: str
    name: str
    kind: ParticipantKind


@dataclass(frozen=True, slots=True)
class SkillState:
    """What the asker has loaded."""

    uid: str
    place: Place
    skills: tuple[str, ...]
    profiles: tuple[str, ...]
    direct_tools: tuple[str, ...]
    integrations: tuple[str, ...]
    governance: Governance


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """What the asker has noted down."""

    uid: str
    place: Place
    version: int
    fields: dict[str, str]
    block: str | None
    governance: Governance


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the asker's run can be taken up again, with the working memory that stood there."""

    uid: str
    place: Place
    pending_call_ids: tuple[str, ...]
    budgets: tuple[str, ...]
    recorded_at: datetime
    governance: Governance
    working_memory: WorkingMemory | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """How a subagent of the asker ended."""

    uid: str
    place: Place
    child_uid: str
    outcome: Outcome
    summary: str | None


@dataclass(frozen=True, slots=True)
class LineCandidate:
    """A line of the standing compaction: it stands for `item_count` items between two seqs."""

    uid: str
    place: Place
    kind: LineKind
    text: str
    tokens: int
    seqs: tuple[int, int]
    item_count: int
    governance: Governance


@dataclass(frozen=True, slots=True)
class CompactionCandidate:
    """The compaction that gives a branch its view: everything up to `until_seq` is these lines."""

    uid: str
    compaction_id: str
    place: Place
    until_seq: int
    transcript_tokens: int
    """What the transcript up to `until_seq` costs."""
    lines: tuple[LineCandidate, ...]


@dataclass(frozen=True, slots=True)
class PassageCandidate:
    """A piece of a knowledge document that answers to the request; `fit` says how well, from 0 to 1."""

    uid: str
    document_id: str
    version: int
    title: str
    text: str
    privacy_class: PrivacyClass
    fit: float


@dataclass(frozen=True, slots=True)
class InsightCandidate:
    """What a tenant's users want or lack; it rests on `asker_count` of them, and was drawn from a knowledge
    graph of `node_count` nodes."""

    uid: str
    kind: InsightKind
    text: str
    rank: int
    asker_count: int
    node_count: int
    privacy_class: PrivacyClass


@dataclass(frozen=True, slots=True)
class Note:
    """Something of a layer beside talk and tools, as a context says it: its policy has let it in and weighed
    it.

    `text` is untrusted and ends without a newline; the fence and what keeps it one item are put in when it is
    written.
    """

    uid: str
    section: Section
    kind: str
    """What it is of, as a record and an explanation name it: `insight`, `user_memory`."""
    text: str
    worth: float
    """Per token, on the scale of service.policies.ranking."""
    why: str
    record: int | None = None
    """Which part of `uid` it is, where parts enter by themselves."""
    seq: int = 0
    """Where it was recorded; 0 for what stands on no branch."""

    @property
    def place(self) -> Place:
        """Its event's, and its part."""
        return (self.seq, self.record or 0)


@dataclass(frozen=True, slots=True)
class Focus:
    """What the next model call is about. Ranking reads this and nothing else of the request."""

    request_text: str
    unseen_text: str = ""
    """Results that no run has seen: they are in the context, as the request is."""
    spoken_text: str = ""
    """The newest message of the assistant."""
    tool_parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    last_tool: str = ""
    """The tool of the newest call, seen or not."""
