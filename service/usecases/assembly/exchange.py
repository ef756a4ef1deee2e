"""What must enter a context whatever the budget: the current exchange, pins, and what is unresolved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from service.model.candidates import (
    CallCandidate,
    Checkpoint,
    MemoryCandidate,
    MessageCandidate,
    PinCandidate,
    Placed,
    Release,
    SkillState,
    WorkingMemory,
)
from service.model.vocabulary import CallStatus, Outcome, ParticipantKind, Role, RuntimeKind
from service.policies import recovery
from service.usecases.assembly.request import Asked, Candidates, Scope

UNRESOLVED = (CallStatus.PENDING, CallStatus.DEFERRED)
BEYOND_ALL = 2**62
"""A seq that none has."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Everything mandatory of one assembly.

    `exact` are memories whose exact results enter in their place, `critical` memories of failed calls that
    a retry needs; `failures` are subagents that did not complete since the asker's last run; `checkpoint`
    is set for a continuation only.
    """

    request: MessageCandidate | None
    moderation: MessageCandidate | None
    unseen: tuple[CallCandidate, ...]
    unresolved: tuple[CallCandidate, ...]
    pins: tuple[PinCandidate, ...] = ()
    critical: tuple[MemoryCandidate, ...] = ()
    exact: tuple[MemoryCandidate, ...] = ()
    failures: tuple[Release, ...] = ()
    skills: SkillState | None = None
    working_memory: WorkingMemory | None = None
    checkpoint: Checkpoint | None = None

    def spoken(self) -> tuple[MessageCandidate, ...]:
        """Messages of the exchange, in order."""
        said = [m for m in (self.request, self.moderation) if m is not None]
        return tuple(sorted(dict.fromkeys(said), key=lambda m: m.place))

    def state(self) -> tuple[Placed, ...]:
        """What working memory shows."""
        own = (self.skills, self.working_memory)
        return (*self.pins, *(item for item in own if item is not None))

    def recovery(self) -> tuple[Placed, ...]:
        """What recovery notes show."""
        return (*([self.checkpoint] if self.checkpoint else []), *self.unresolved, *self.failures)

    def remembered(self) -> tuple[MemoryCandidate, ...]:
        """What tool memories show whatever the budget."""
        return (*self.critical, *self.exact)

    def starts_with_call(self) -> bool:
        """Whether an unseen call comes before anything that was said."""
        said = (message.place for message in self.spoken())
        called = (call.place for call in self.unseen)
        return min(called, default=(BEYOND_ALL, 0)) < min(said, default=(BEYOND_ALL, 0))

    def uids(self) -> tuple[str, ...]:
        """Ids of all of it."""
        items: tuple[Placed, ...] = (*self.spoken(), *self.state(), *self.recovery())
        items += (*self.unseen, *self.remembered())
        return tuple(item.uid for item in items)


def _own(message: MessageCandidate, scope: Scope) -> bool:
    """Whether the asker said it: a task it gave a subagent is no request to itself."""
    return message.governance.participant_uid == scope.participant_uid


def newest_request(messages: Iterable[MessageCandidate], scope: Scope) -> MessageCandidate | None:
    """What the asker is to answer, of messages that may enter, newest first."""
    return next((m for m in messages if m.role is Role.USER and not _own(m, scope)), None)


def current_exchange(
    asked: Asked,
    candidates: Candidates,
    messages: list[MessageCandidate],
    calls: list[CallCandidate],
    pins: list[PinCandidate],
    memories: list[MemoryCandidate],
) -> Exchange:
    """From what may enter (newest first), what must."""
    scope, state = candidates.scope, candidates.state
    mine = [c for c in calls if c.governance.participant_uid == scope.participant_uid]
    spoken = (m.place[0] for m in candidates.messages if m.role is Role.ASSISTANT and _own(m, scope))
    seen_seq = max(scope.run_seq, next(spoken, 0))
    answered = [c for c in mine if c.status not in UNRESOLVED and c.result_place is not None]
    moderators = {s.uid for s in state.speakers.values() if s.kind is ParticipantKind.MODERATOR}
    moderation = next((m for m in messages if m.governance.participant_uid in moderators), None)
    discusses = asked.runtime_kind is RuntimeKind.DISCUSSION
    checkpoint = state.checkpoint if asked.runtime_kind is RuntimeKind.CONTINUATION else None
    memory = checkpoint.working_memory if checkpoint else state.working_memory
    return Exchange(
        request=newest_request(messages, scope),
        moderation=moderation if discusses else None,
        unseen=tuple(c for c in answered if c.result_place and c.result_place[0] > seen_seq),
        unresolved=tuple(c for c in mine if c.status in UNRESOLVED),
        pins=tuple(pins),
        critical=recovery.still_needed(memories),
        failures=tuple(
            r for r in state.releases if r.outcome is not Outcome.COMPLETED and r.place[0] > scope.run_seq
        ),
        skills=state.skills,
        working_memory=memory if memory and (memory.fields or memory.block) else None,
        checkpoint=checkpoint,
    )
