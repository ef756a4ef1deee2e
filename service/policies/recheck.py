"""What stands for a memory that stays out for its age or its privacy class: that it is there, and which tool
to ask again. Nothing of its arguments or of its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.model.candidates import MemoryCandidate
from service.model.policy_settings import PolicySettings
from service.model.verdict import Reason
from service.model.vocabulary import PrivacyClass

HINTS_MAX = 8
WORTH = 0.005
"""Worth per token of a hint, beside those of service.policies.ranking."""
HINTED = {
    Reason.STALE_VOLATILE: "out of date",
    Reason.EXPIRED: "out of date",
    Reason.PRIVACY_CLASS_BARRED: "withheld from this provider",
}
"""Reasons after which asking again helps, as a hint says them."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A memory that stays out, and why."""

    memory: MemoryCandidate
    reason: Reason
    recheck_tool: str
    """The tool to ask again."""

    @property
    def uid(self) -> str:
        """The memory's."""
        return self.memory.uid


def hints(
    barred: Iterable[tuple[MemoryCandidate, Reason]],
    current: Sequence[MemoryCandidate],
    settings: PolicySettings,
) -> tuple[Hint, ...]:
    """One hint for each tool, its newest; none where a current memory tells of the same record.

    A tool can have another one that asks in its place; that one's memories then tell of the record too.

    Of secrets, and of classes that are not known, not even the existence is told.
    """
    known = {(memory.tool_name, memory.record_key) for memory in current}
    newest: dict[str, Hint] = {}
    for memory, reason in barred:
        told = reason in HINTED and memory.governance.privacy_class is not PrivacyClass.SECRET
        again = settings.of(memory.tool_name).recheck_tool or memory.tool_name
        if not told or known & {(tool, memory.record_key) for tool in (memory.tool_name, again)}:
            continue
        found = newest.get(memory.tool_name)
        if found is None or memory.place > found.memory.place:
            newest[memory.tool_name] = Hint(memory, reason, again)
    return tuple(sorted(newest.values(), key=lambda hint: hint.memory.place)[-HINTS_MAX:])
