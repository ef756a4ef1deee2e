"""What an assembly is asked for, and what the graph says about who asks and where."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from service.model.candidates import (
    CallCandidate,
    Checkpoint,
    CompactionCandidate,
    InsightCandidate,
    MemoryCandidate,
    MessageCandidate,
    PassageCandidate,
    PinCandidate,
    Release,
    SkillState,
    Speaker,
    WorkingMemory,
)
from service.model.configuration import ProviderRoute, TenantConfiguration
from service.model.lineage import Lineage
from service.model.user_memory import UserMemory
from service.model.vocabulary import ParticipantKind, RuntimeKind
from service.policies.governing import Governing
from service.policies.packing import PackingProfile
from service.text.search.index import Vectors
from service.usecases.recall.shelves import Shelved


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a context, checked and with its defaults filled in. `budget_tokens` bounds
    everything."""

    provider: str
    route: ProviderRoute
    model: str | None
    runtime_kind: RuntimeKind
    budget_tokens: int
    governing: Governing
    configuration: TenantConfiguration
    configuration_number: int
    now: datetime
    tools: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Parameter names of the tools on offer, by tool name."""
    tools_tokens: int = 0
    exact: tuple[str, ...] = ()
    """Uids of memories or artifacts whose exact results are asked for."""
    question: bool | None = None
    """Whether the request asks a question; None: by rule."""

    @property
    def profile(self) -> PackingProfile:
        """The profile that packs this context."""
        return self.governing.profile


@dataclass(frozen=True, slots=True)
class Scope:
    """The branch as it stood when the candidates were read, and the seat that asks."""

    conversation_uid: str
    forked: bool
    """Whether the conversation has other branches, which may share things with this one."""
    branch_ref: int
    lineage: Lineage
    merged: Lineage
    """Stretches of other branches that merges show here."""
    participant_uid: str
    participant_kind: ParticipantKind
    agent: str
    """What the seat names as its agent profile, configured or not; else its participant id."""
    run_seq: int
    """Seq of the asker's newest model run; 0 without one."""
    user_seq: int
    """Seq of the newest user message; 0 without one."""
    transcript_tokens: int
    transcript_items: int
    known_user_uid: str | None = None
    """The conversation's user, where anything was ever remembered of that person."""
    erasure_count: int = 0
    """How often people of the tenant were hidden or erased."""
    redacted_count: int = 0
    """Events shown here whose payloads were destroyed: holes, or told in other words."""
    ended: bool = False
    """Whether the conversation's user was erased: it goes on no more."""

    def shows(self, branch_ref: int, seq: int) -> bool:
        """Whether what stands at that place belongs here, by lineage or by a merge."""
        return self.lineage.holds(branch_ref, seq) or self.merged.holds(branch_ref, seq)


@dataclass(frozen=True, slots=True)
class State:
    """What the lineage holds beside talk and tools, as far as it concerns the asker."""

    speakers: dict[str, Speaker]
    pins: tuple[PinCandidate, ...] = ()
    skills: SkillState | None = None
    working_memory: WorkingMemory | None = None
    checkpoint: Checkpoint | None = None
    releases: tuple[Release, ...] = ()
    compaction: CompactionCandidate | None = None
    """What gives the branch its view of older turns."""
    released: frozenset[str] = frozenset()
    """Uids of what other participants released to the asker."""


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """The vector of a text by an embedding model."""

    text: str
    vector: Vectors
    model: str

    def vector_of(self, text: str) -> Vectors | None:
        """The vector, where it is that of this text."""
        return self.vector if text == self.text else None


@dataclass(frozen=True, slots=True)
class Candidates:
    """All that policy chooses from, newest first."""

    scope: Scope
    messages: tuple[MessageCandidate, ...]
    memories: tuple[MemoryCandidate, ...]
    calls: tuple[CallCandidate, ...]
    state: State
    wide_messages: tuple[MessageCandidate, ...] = ()
    wide_memories: tuple[MemoryCandidate, ...] = ()
    """What other branches share with the conversation or the asker."""
    user_memories: tuple[UserMemory, ...] = ()
    """What was recorded of the conversation's user, in any conversation of that person."""
    passages: tuple[PassageCandidate, ...] = ()
    """Knowledge that answers to the request, best first."""
    searched: bool = False
    """Whether there was knowledge to look through."""
    elsewhere_items: int = 0
    """Messages, calls and results of other branches, which this one does not inherit."""
    talk: tuple[Shelved, ...] = ()
    """The messages of the lineage that are searched, oldest stretch first; the newest of them are those of
    `messages`."""
    insights: tuple[InsightCandidate, ...] = ()
    """What the tenant's users want or lack, best first within its kind."""
    query: EmbeddedQuery | None = None
    """What the talk is searched for, where its vectors are at hand."""

    older: tuple[MessageCandidate, ...] = ()
    """Those of `talk` that are not among `messages`, oldest first."""

    def with_talk(self, talk: tuple[Shelved, ...]) -> Candidates:
        """With talk to be searched."""
        newest = {message.uid for message in self.messages}
        older = tuple(m for one in talk for m in one.messages() if m.uid not in newest)
        return replace(self, talk=talk, older=older)

    @property
    def count(self) -> int:
        """How many items were considered."""
        talk = len(self.messages) + len(self.older)
        layers = len(self.user_memories) + len(self.passages) + len(self.insights)
        return talk + len(self.memories) + len(self.calls) + layers
