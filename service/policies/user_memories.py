"""Which user memories supersede, which contradict each other, and which enter a context.

One supersedes another only about the same: person, normalised subject and predicate, agent, and those who may
see it; nothing that is merely related ends a memory. It does so where it takes effect later, is as sure, and
comes from the same source or from the person it is about, who has the last word; or where it says that it
corrects that one. Two that differ and that this does not order contradict each other, and both are shown.

Without corrections this orders all memories of one thing in the same way, however they came in. What was
superseded stays so, also when the newer one is retracted or its time is over: an old value does not come back
by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from service.model.configuration import ProviderRoute
from service.model.lineage import Lineage
from service.model.user_memory import UserMemory
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import MemoryKind, Visibility
from service.policies import attribution, privacy, visibility
from service.policies.attribution import Asker

AHEAD = {MemoryKind.INSTRUCTION: 0.3, MemoryKind.PREFERENCE: 0.2, MemoryKind.FACT: 0.0}
"""What a kind adds to the relevance, which is from 0 to 1: an instruction holds whatever is asked."""
PLAIN_WORTH = 0.002
RELEVANT_WORTH = 0.03
"""Worth per token of what weighs nothing, and what a weight of 1 adds, beside those of
service.policies.ranking."""
_WORDS = re.compile(r"[^\W_]+")


def normalised(text: str) -> str:
    """Words without case, punctuation and the width of their letters; what has no words stays as it is."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORDS.findall(folded)) or folded


def memory_key(subject: str, predicate: str) -> str:
    """What a memory is about, the same for all that say something of it."""
    return f"{normalised(subject)}\n{normalised(predicate)}"


@dataclass(frozen=True, slots=True)
class Relations:
    """How a new memory stands to those of the same thing that nothing supersedes, by uid."""

    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    conflicts_with: tuple[str, ...]


def relate(new: UserMemory, standing: Sequence[UserMemory], corrected: UserMemory | None = None) -> Relations:
    """For a memory about to be recorded; `corrected` is the one that it says it corrects."""
    ended = {one.uid for one in standing if supersedes(new, one)} | ({corrected.uid} if corrected else set())
    others = [one for one in standing if one.uid not in ended]
    later = tuple(one.uid for one in others if supersedes(one, new))
    open_ones = () if later else [one for one in others if one.retracted_at is None]
    against = tuple(one.uid for one in open_ones if contradict(one, new))
    return Relations(tuple(sorted(ended)), later, against)


def comparable(first: UserMemory, second: UserMemory) -> bool:
    """Whether one may supersede the other: about the same, and seen by the same."""
    return _about(first) == _about(second) and _reach(first) == _reach(second)


def supersedes(later: UserMemory, earlier: UserMemory) -> bool:
    """True when `later` stands for `earlier` from when it takes effect."""
    return (
        comparable(later, earlier)
        and _order(later) > _order(earlier)
        and later.confidence >= earlier.confidence
        and later.stated_by in (earlier.stated_by, later.user_uid)
    )


def contradict(first: UserMemory, second: UserMemory) -> bool:
    """Whether two that stand say different things of one for the same time."""
    return (
        _about(first) == _about(second)
        and _said(first) != _said(second)
        and _begins_before_end(first, second)
        and _begins_before_end(second, first)
    )


@dataclass(frozen=True, slots=True)
class Reader:
    """Who is shown memories: a seat on its lineage, the name of its agent, and the provider's route.

    `agent` None: those of all agents are shown; `route` None: nothing goes to a provider.
    """

    asker: Asker
    agent: str | None
    route: ProviderRoute | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """Memories as one reader may see them, newest first: those in force, and why every other one is not."""

    current: tuple[UserMemory, ...]
    omitted: dict[str, Reason]
    superseded: dict[str, str]
    """The uid of each that another one stands for, with the uid of that one."""
    conflicts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The uid of each that is in force and contradicted, with the uids of those that contradict it."""


def remembered(memories: Sequence[UserMemory], reader: Reader, now: datetime) -> Remembered:
    """Judge all that was recorded of one person until `now`, in any order."""
    reached = [one for one in memories if in_reach(one, reader.asker.lineage)]
    seen = [one for one in reached if visibility.judge(one.governance, reader.asker.uid).keep]
    replaced = superseded(seen, now)
    omitted: dict[str, Reason] = {}
    current = []
    for memory in sorted(reached, key=_order, reverse=True):
        verdict = _judge(memory, reader, now)
        if verdict.keep and memory.uid in replaced:
            verdict = Verdict(Reason.SUPERSEDED)
        if verdict.reason is None:
            current.append(memory)
        else:
            omitted[memory.uid] = verdict.reason
    return Remembered(tuple(current), omitted, replaced, conflicting(current))


def in_reach(memory: UserMemory, lineage: Lineage) -> bool:
    """Whether it is not a branch's own, or that branch is read."""
    item = memory.governance
    return item.visibility is not Visibility.BRANCH or lineage.holds(item.branch_ref, memory.place[0])


def may_refer(memory: UserMemory, seat_uid: str, lineage: Lineage) -> bool:
    """Whether a seat may correct or retract it: what it may see, or stated itself."""
    own = memory.governance.participant_uid == seat_uid
    return own or (visibility.judge(memory.governance, seat_uid).keep and in_reach(memory, lineage))


def superseded(memories: Iterable[UserMemory], now: datetime) -> dict[str, str]:
    """The uid of each that another one stands for at `now`, with the uid of that one."""
    same: dict[tuple[object, ...], list[UserMemory]] = defaultdict(list)
    replaced: dict[str, str] = {}
    for memory in memories:
        if memory.superseded_by:
            replaced[memory.uid] = memory.superseded_by[0]
        elif memory.effective_at <= now:
            same[_about(memory)].append(memory)
    for group in same.values():
        newest_first = sorted(group, key=_order, reverse=True)
        for at, memory in enumerate(newest_first):
            later = next((one for one in newest_first[:at] if supersedes(one, memory)), None)
            if later is not None:
                replaced[memory.uid] = later.uid
    return replaced


def conflicting(current: Iterable[UserMemory]) -> dict[str, tuple[str, ...]]:
    """The uid of each contradicted memory, with the uids of those that contradict it."""
    about: dict[tuple[object, ...], list[UserMemory]] = defaultdict(list)
    for memory in current:
        about[_about(memory)].append(memory)
    return {
        memory.uid: against
        for group in about.values()
        for memory in group
        if (against := tuple(one.uid for one in group if contradict(memory, one)))
    }


def ranked(found: Remembered, relevance: Sequence[float]) -> list[tuple[float, UserMemory]]:
    """Those in force with what they weigh, best first: by relevance and kind, then the newest. Every side of
    a conflict weighs as much as its heaviest and stands next to the others.

    `relevance` has a number from 0 to 1 for each of `found.current`.
    """
    weighed = {
        one.uid: (number + AHEAD[one.kind], *_order(one))
        for one, number in zip(found.current, relevance, strict=True)
    }
    sides = {uid: max(weighed[one] for one in (uid, *found.conflicts.get(uid, ()))) for uid in weighed}
    best_first = sorted(found.current, key=lambda one: (sides[one.uid], weighed[one.uid]), reverse=True)
    return [(sides[one.uid][0], one) for one in best_first]


def worth(weight: float) -> float:
    """Per token in a context."""
    return PLAIN_WORTH + RELEVANT_WORTH * weight


def said(memory: UserMemory) -> str:
    """A memory as one line: what it is about, and what it says."""
    return f"{memory.subject}, {memory.predicate}: {memory.value}"


def _judge(memory: UserMemory, reader: Reader, now: datetime) -> Verdict:
    """Everything but what others say of the same, in the order of service.policies.ORDER."""
    verdict = visibility.judge(memory.governance, reader.asker.uid)
    if verdict.keep:
        verdict = attribution.judge(memory.uid, memory.governance, reader.asker)
    if verdict.keep and reader.agent is not None and memory.agent not in (None, reader.agent):
        verdict = Verdict(Reason.FOR_ANOTHER_AGENT)
    if verdict.keep and reader.route is not None:
        verdict = privacy.judge(memory.governance, reader.route)
    return judge_validity(memory, now) if verdict.keep else verdict


def judge_validity(memory: UserMemory, now: datetime) -> Verdict:
    """Whether it is in force at `now`, by what it says itself."""
    if memory.retracted_at is not None and memory.retracted_at <= now:
        return Verdict(Reason.RETRACTED)
    if memory.valid_until is not None and memory.valid_until <= now:
        return Verdict(Reason.EXPIRED)
    return KEEP if memory.effective_at <= now else Verdict(Reason.NOT_YET_VALID)


def _about(memory: UserMemory) -> tuple[object, ...]:
    return (memory.user_uid, memory.agent, memory.memory_key)


def _reach(memory: UserMemory) -> tuple[object, ...]:
    """Who may see it: a fork, or what is somebody's own, ends nothing that others see."""
    item = memory.governance
    owner = item.participant_uid if item.visibility is Visibility.PARTICIPANT else None
    branch = item.branch_ref if item.visibility is Visibility.BRANCH else None
    return (item.visibility, owner, branch, frozenset(item.shared_with))


def _said(memory: UserMemory) -> str:
    return " ".join(memory.value.casefold().split())


def _order(memory: UserMemory) -> tuple[datetime, datetime, str]:
    return (memory.effective_at, memory.recorded_at, memory.uid)


def _begins_before_end(one: UserMemory, other: UserMemory) -> bool:
    return other.valid_until is None or one.effective_at < other.valid_until
