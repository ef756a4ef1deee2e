"""Run every candidate through the gates, in the order of service.policies.ORDER; the first no is the
reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from service.model.candidates import (
    CallCandidate,
    Checkpoint,
    CompactionCandidate,
    Governance,
    InsightCandidate,
    LineCandidate,
    MemoryCandidate,
    MessageCandidate,
    PassageCandidate,
    PinCandidate,
    Release,
    SkillState,
    WorkingMemory,
)
from service.model.user_memory import UserMemory
from service.model.verdict import Reason, Verdict
from service.model.vocabulary import ParticipantKind, PrivacyClass, Role, RuntimeKind
from service.policies import attribution, freshness, insights, privacy, promotion, recovery, visibility
from service.policies.attribution import Asker, Moment
from service.policies.user_memories import Reader, Remembered, remembered
from service.usecases.assembly.request import Asked, Candidates, State

OwnState = TypeVar("OwnState", SkillState, WorkingMemory, Checkpoint)


@dataclass(slots=True)
class Omissions:
    """Uids of what stayed out, by reason, in order of judgement."""

    by_reason: dict[Reason, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, uid: str, reason: Reason) -> None:
        """Note one item."""
        self.by_reason[reason].append(uid)

    def uids(self) -> frozenset[str]:
        """All that stayed out."""
        return frozenset(uid for uids in self.by_reason.values() for uid in uids)


class Gates:
    """The gates for one request; what they refuse is noted in `omitted`."""

    def __init__(self, asked: Asked, candidates: Candidates, omitted: Omissions) -> None:
        scope, state = candidates.scope, candidates.state
        continues = asked.runtime_kind is RuntimeKind.CONTINUATION and state.checkpoint is not None
        self._asked = asked
        self._settings = asked.governing.policies
        self._omitted = omitted
        self._agent = scope.agent
        self.superseded: dict[str, str] = {}
        """Uids of user memories that another one stands for, with the uid of that one."""
        self.barred: list[tuple[MemoryCandidate, Reason]] = []
        """Memories that the asker may see and that stay out all the same."""
        self._by_time = continues or asked.runtime_kind is RuntimeKind.MULTI_MODEL
        self._judged: dict[int, Verdict] = {}
        """By the identity of a governance, which the candidates keep: to hash one takes longer."""
        self.asker = Asker(
            uid=scope.participant_uid,
            kind=scope.participant_kind,
            runtime_kind=asked.runtime_kind,
            lineage=scope.lineage,
            released=state.released,
            request=next((_moment(m) for m in candidates.messages if _by_human(m, state)), None),
            checkpoint=_moment(state.checkpoint) if continues and state.checkpoint else None,
        )

    def messages(self, found: Iterable[MessageCandidate]) -> list[MessageCandidate]:
        """Messages that may enter; one without words says nothing, and its calls enter by themselves."""
        kept = [m for m in found if self._kept(m.uid, self._of_message(m))]
        for message in kept:
            if message.role is Role.SYSTEM:
                self._omitted.add(message.uid, Reason.RULES_FROM_CONFIGURATION)
        return [m for m in kept if m.role is not Role.SYSTEM and m.text.strip()]

    def calls(self, found: Iterable[CallCandidate]) -> list[CallCandidate]:
        """Calls that may enter, each once: a fork's own result stands before its parent's open call."""
        newest: dict[str, CallCandidate] = {}
        for call in found:
            if self._passes(call.uid, call.governance):
                known = newest.get(call.uid)
                if known is None or known.result_place is None:
                    newest[call.uid] = call
        return sorted(newest.values(), key=lambda call: call.place)

    def pins(self, found: Iterable[PinCandidate]) -> list[PinCandidate]:
        """Pins that must enter; one of a message only where that message may be seen."""
        return [p for p in found if self._passes(p.uid, p.governance) and self._shows_its_message(p)]

    def view(self, found: CompactionCandidate | None) -> CompactionCandidate | None:
        """The compaction with the lines that may enter; none for a continuation from before it."""
        checkpoint = self.asker.checkpoint
        if found is None or (checkpoint is not None and found.place[0] > checkpoint.seq):
            return None
        shown = (line for line in found.lines if self._kept(line.uid, self._of_line(line)))
        return replace(found, lines=tuple(shown))

    def failures(self, found: Iterable[Release]) -> tuple[Release, ...]:
        """That subagents failed, and what they told of it where internal data may go."""
        told = privacy.allowed(PrivacyClass.INTERNAL, self._asked.route)
        return tuple(one if told else replace(one, summary=None) for one in found)

    def own(self, item: OwnState | None) -> OwnState | None:
        """What is the asker's own, such as its skills, where it may go to this provider."""
        return item if item is not None and self._passes(item.uid, item.governance) else None

    def working_memory(self, item: WorkingMemory | None) -> WorkingMemory | None:
        """The same of what the asker has noted down, where its agent profile keeps that."""
        found = self.own(item)
        kept = found is None or self._kept(
            found.uid, promotion.judge_noted(self._asked.governing.working_memory)
        )
        return found if kept else None

    def memories(self, found: Iterable[MemoryCandidate]) -> tuple[list[MemoryCandidate], frozenset[str]]:
        """Memories that may enter, and the uids of those that are flagged as stale."""
        kept: list[MemoryCandidate] = []
        stale: set[str] = set()
        seen = [
            freshness.aged(m, self._settings.of(m.tool_name))
            for m in found
            if self._shown(m.uid, m.governance) and self._kept(m.uid, attribution.judge_memory(m, self.asker))
        ]
        needed = {m.uid for m in recovery.still_needed(seen)}
        for memory in seen:
            uid = memory.uid
            verdict = privacy.judge(memory.governance, self._asked.route)
            if verdict.keep:
                verdict = promotion.judge(memory, self._settings, needed)
            if verdict.keep:
                verdict = freshness.judge(memory, self._asked.now, self._settings)
            if self._kept(uid, verdict):
                kept.append(memory)
                if verdict.stale:
                    stale.add(uid)
            elif verdict.reason is not None:
                self.barred.append((memory, verdict.reason))
        return kept, frozenset(stale)

    def user_memories(self, found: Sequence[UserMemory]) -> Remembered:
        """What is known of the conversation's user, in force and for this asker and provider."""
        judged = remembered(found, Reader(self.asker, self._agent, self._asked.route), self._asked.now)
        for uid, reason in judged.omitted.items():
            self._omitted.add(uid, reason)
        self.superseded = judged.superseded
        return judged

    def passages(self, found: Iterable[PassageCandidate]) -> list[PassageCandidate]:
        """Knowledge that may go to this provider."""
        route = self._asked.route
        return [p for p in found if self._kept(p.uid, privacy.judge_class(p.privacy_class, route))]

    def insights(self, found: Iterable[InsightCandidate]) -> list[InsightCandidate]:
        """What the tenant's users want or lack, where enough of them do."""
        settings, route = self._asked.configuration.knowledge, self._asked.route
        return [
            one
            for one in found
            if self._kept(one.uid, privacy.judge_class(one.privacy_class, route))
            and self._kept(one.uid, insights.judge(one, settings))
        ]

    def may_read(self, memory: MemoryCandidate) -> bool:
        """Whether exact bytes may be read and not only the memory, which a release lets out alone."""
        return visibility.judge(memory.governance, self.asker.uid).keep

    def _passes(self, uid: str, item: Governance, of: str | None = None) -> bool:
        """Whether an item may enter; `of` is the uid of what stays out with it."""
        attributed = partial(attribution.judge, uid, item, self.asker)
        return self._kept(of or uid, self._first_no(uid, item, attributed))

    def _of_message(self, message: MessageCandidate) -> Verdict:
        """The first no to a message; where nothing depends on when it was said, the same for all of one
        governance, of which a talk has few."""
        item = message.governance
        alike = not self._by_time and message.uid not in self.asker.released
        known = self._judged.get(id(item)) if alike else None
        if known is None:
            attributed = partial(attribution.judge_message, message, self.asker)
            known = self._first_no(message.uid, item, attributed)
            if alike:
                self._judged[id(item)] = known
        return known

    def _of_line(self, line: LineCandidate) -> Verdict:
        return self._first_no(line.uid, line.governance, partial(attribution.judge_line, line, self.asker))

    def _first_no(self, uid: str, item: Governance, attributed: Callable[[], Verdict]) -> Verdict:
        """What visibility says of an item, else attribution in the way of its kind, else privacy."""
        verdict = visibility.judge(item, self.asker.uid, uid in self.asker.released)
        if verdict.keep:
            verdict = attributed()
        return privacy.judge(item, self._asked.route) if verdict.keep else verdict

    def _shows_its_message(self, pin: PinCandidate) -> bool:
        uid, item = pin.message_uid, pin.message_governance
        return uid is None or item is None or self._passes(uid, item, of=pin.uid)

    def _shown(self, uid: str, item: Governance) -> bool:
        return self._kept(uid, visibility.judge(item, self.asker.uid, uid in self.asker.released))

    def _kept(self, uid: str, verdict: Verdict) -> bool:
        if verdict.reason is not None:
            self._omitted.add(uid, verdict.reason)
        return verdict.reason is None


def _moment(item: MessageCandidate | Checkpoint) -> Moment:
    return Moment(item.place[0], item.recorded_at)


def _by_human(message: MessageCandidate, state: State) -> bool:
    speaker = state.speakers.get(message.governance.participant_uid)
    return speaker is not None and speaker.kind is ParticipantKind.HUMAN
