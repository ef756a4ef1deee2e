"""What a projection starts from and what it yields: plain rows, named as the graph names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from service.model.configuration import TenantConfiguration
from service.model.lineage import Lineage
from service.model.user_memory import UserMemory
from service.model.vocabulary import CallStatus

INLINE_BYTES_MAX = 16 * 1024
"""Above this, bytes live in the blob store and the node names them by hash."""
UNRESOLVED = (CallStatus.PENDING, CallStatus.DEFERRED)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What the graph already has of the things a batch refers to, by client id."""

    conversation_uid: str
    conversation_id: str
    owner_user_uid: str | None
    branch_ref: int
    lineage: Lineage
    users: dict[str, str] = field(default_factory=dict)
    participants: dict[str, Row] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    message_places: dict[str, Row] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)
    calls: dict[str, Row] = field(default_factory=dict)
    pins: dict[str, str] = field(default_factory=dict)
    checkpoints: dict[str, Row] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    user_memories: dict[str, UserMemory] = field(default_factory=dict)
    standing: dict[tuple[str, str], list[UserMemory]] = field(default_factory=dict)
    """User memories that none supersedes, by whom and what they are about."""
    assemblies: frozenset[str] = frozenset()
    parents: dict[str, Row] = field(default_factory=dict)
    merged_stretches: int = 0
    """How many stretches of other branches the branch shows already."""
    working_memories: dict[str, Row] = field(default_factory=dict)
    """The standing versions of those that the batch writes on, by their participant's uid."""
    configuration: TenantConfiguration = field(default_factory=TenantConfiguration)
    """The active one, where the batch writes on a working memory."""


@dataclass(slots=True)
class Rows:
    """What a batch makes, by kind."""

    participants: list[Row] = field(default_factory=list)
    branches: list[Row] = field(default_factory=list)
    changes: list[Row] = field(default_factory=list)
    merges: list[Row] = field(default_factory=list)
    messages: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    calls: list[Row] = field(default_factory=list)
    artifacts: list[Row] = field(default_factory=list)
    results: list[Row] = field(default_factory=list)
    memories: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)
    """What each claim is connected to."""
    user_memories: list[Row] = field(default_factory=list)
    memory_links: list[Row] = field(default_factory=list)
    """What each user memory is connected to."""
    retractions: list[Row] = field(default_factory=list)
    pins: list[Row] = field(default_factory=list)
    unpins: list[Row] = field(default_factory=list)
    skill_states: list[Row] = field(default_factory=list)
    working_memories: list[Row] = field(default_factory=list)
    checkpoints: list[Row] = field(default_factory=list)
    releases: list[Row] = field(default_factory=list)
    compactions: list[Row] = field(default_factory=list)
    summary_lines: list[Row] = field(default_factory=list)
    redactions: list[Row] = field(default_factory=list)
    blobs: dict[tuple[tuple[str, ...], str], bytes] = field(default_factory=dict)
    """Large bytes by the people they are about and their SHA-256."""

    def placed(self) -> list[Row]:
        """Every row whose `offset` becomes its `seq`."""
        talk = [*self.messages, *self.runs, *self.calls, *self.branches, *self.merges, *self.memories]
        talk += [*self.claims, *self.user_memories, *self.compactions, *self.summary_lines]
        state = [*self.pins, *self.unpins, *self.skill_states, *self.working_memories, *self.checkpoints]
        return [*talk, *state, *self.releases, *self.redactions]


@dataclass(frozen=True, slots=True)
class Logged:
    """What the log keeps of one event, and what it adds to the cost of the full transcript."""

    kind: str
    actor_uid: str | None
    subject_uids: tuple[str, ...]
    body: str
    transcript_tokens: int
    transcript_items: int
