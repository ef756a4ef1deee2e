"""Which memories contradict each other: kept apart, shown both, and each flagged with the other's place.

Supersession settles what one source says twice. Where the same tool says two things of one record in
different scopes (another owner, another sharing, another branch), no rule can tell which is true: age alone
does not decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence, Set

from service.model.candidates import ARROW, MemoryCandidate
from service.model.vocabulary import CallStatus
from service.policies.ranking import RankedRecord


def conflicting(memories: Sequence[MemoryCandidate], elsewhere: Set[str]) -> dict[str, int]:
    """The uid of each contradicted memory, with the seq of the newest one that contradicts it.

    `memories` are those that may enter and that nothing replaces; `elsewhere` are uids of those of other
    branches.
    """
    about: dict[tuple[str, str], list[MemoryCandidate]] = defaultdict(list)
    for memory in memories:
        if memory.record_key is not None and memory.status is CallStatus.EXECUTED:
            about[memory.tool_name, memory.record_key].append(memory)
    return {
        memory.uid: max(other.place for other in others)[0]
        for group in about.values()
        for memory in group
        if (others := list(_against(memory, group, elsewhere)))
    }


def level(conflicts: Container[str], *rankings: list[RankedRecord]) -> list[list[RankedRecord]]:
    """The rankings with every side of a conflict as high as its highest: if one is shown, so are the others.

    Only what is about to be cut between two sides can still part them; the flag then names the other's
    place.
    """
    highest: dict[tuple[str, str | None], float] = defaultdict(float)
    for entry in (entry for ranking in rankings for entry in ranking if entry.memory.uid in conflicts):
        about = (entry.memory.tool_name, entry.memory.record_key)
        highest[about] = max(highest[about], entry.worth)
    return [_levelled(ranking, conflicts, highest) for ranking in rankings]


def _levelled(
    ranking: list[RankedRecord],
    conflicts: Container[str],
    highest: Mapping[tuple[str, str | None], float],
) -> list[RankedRecord]:
    raised: set[str] = set()
    levelled: list[RankedRecord] = []
    for entry in ranking:
        memory = entry.memory
        if memory.uid in conflicts and memory.uid not in raised:
            raised.add(memory.uid)
            entry = entry._replace(worth=highest[memory.tool_name, memory.record_key])
        levelled.append(entry)
    return sorted(levelled, key=lambda entry: -entry.worth)


def _against(
    memory: MemoryCandidate, group: Iterable[MemoryCandidate], elsewhere: Set[str]
) -> Iterable[MemoryCandidate]:
    for other in group:
        apart = _scope(other) != _scope(memory) or (other.uid in elsewhere) != (memory.uid in elsewhere)
        if apart and _found(other) != _found(memory):
            yield other


def _scope(memory: MemoryCandidate) -> tuple[object, ...]:
    owned = memory.governance
    return (owned.participant_uid, owned.visibility, owned.shared_with)


def _found(memory: MemoryCandidate) -> tuple[str, tuple[str, ...]]:
    """What a memory says, without the words that only name the call."""
    return memory.headline.partition(ARROW)[2], memory.records
