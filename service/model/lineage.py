"""A branch's lineage: which stretch of which branch it reads.

A fork's sequence goes on from its cut-off, so the stretches of a lineage follow one another without overlap
and `seq` alone orders them. Stored on the branch as two arrays, oldest ancestor first: `lineage` (branch
refs) and `cutoffs` (the last inherited seq of each).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

NUMBERS_PER_MERGE: Final = 4
"""A stretch that a merge shows is stored as four numbers: seq of the merge, branch ref, floor, ceiling."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events of branch `branch_ref` with `floor < seq <= ceiling`."""

    branch_ref: int
    floor: int
    ceiling: int


@dataclass(frozen=True, slots=True)
class Lineage:
    """All a branch reads, oldest stretch first; the last one is its own."""

    stretches: tuple[Stretch, ...]

    @classmethod
    def of(cls, branch_ref: int, lineage: list[int], cutoffs: list[int], head: int) -> Lineage:
        """The lineage of a branch from its stored arrays and its head."""
        refs, ceilings = [*lineage, branch_ref], [*cutoffs, head]
        floors = [0, *cutoffs]
        return cls(tuple(map(Stretch, refs, floors, ceilings)))

    @classmethod
    def of_row(cls, row: Mapping[str, Any], head: int | None = None) -> Lineage:
        """The lineage of a branch that was read with its arrays, up to `head` or to its own."""
        end = row["head"] if head is None else head
        return cls.of(row["branch_ref"], row["lineage"], row["cutoffs"], end)

    @property
    def head(self) -> int:
        """The newest seq."""
        return self.stretches[-1].ceiling

    def up_to(self, seq: int) -> Lineage:
        """The same lineage ending at `seq`: what a fork there inherits."""
        return Lineage(
            tuple(
                Stretch(s.branch_ref, s.floor, min(s.ceiling, seq)) for s in self.stretches if s.floor < seq
            )
        )

    def after(self, seq: int) -> Lineage:
        """The same lineage beginning after `seq`; empty where that is its head."""
        return Lineage(
            tuple(
                Stretch(s.branch_ref, max(s.floor, seq), s.ceiling) for s in self.stretches if s.ceiling > seq
            )
        )

    def meets(self, other: Lineage) -> tuple[int, int]:
        """The place `(branch_ref, seq)` of the newest event that both read; both are of one conversation."""
        place = (0, 0)
        for mine, theirs in zip(self.stretches, other.stretches, strict=False):
            seq = min(mine.ceiling, theirs.ceiling)
            if mine.branch_ref != theirs.branch_ref or seq == mine.floor:
                break
            place = (mine.branch_ref, seq)
            if mine.ceiling != theirs.ceiling:
                break
        return place

    @classmethod
    def merged(cls, merges: list[int], seq: int) -> Lineage:
        """The stretches of other branches that a branch which stores `merges` shows at `seq`, each once."""
        shown: dict[int, Stretch] = {}
        for at in range(0, len(merges), NUMBERS_PER_MERGE):
            since, branch_ref, floor, ceiling = merges[at : at + NUMBERS_PER_MERGE]
            if since <= seq:
                known = shown.get(branch_ref, Stretch(branch_ref, floor, ceiling))
                shown[branch_ref] = Stretch(branch_ref, min(known.floor, floor), max(known.ceiling, ceiling))
        return cls(tuple(shown.values()))

    def holds(self, branch_ref: int, seq: int) -> bool:
        """Whether the event at that place is in this lineage."""
        return any(s.branch_ref == branch_ref and s.floor < seq <= s.ceiling for s in self.stretches)

    def covers(self, branch_ref: int, head: int) -> bool:
        """Whether what was read of a branch up to `head` is inherited: the branch is this one, or an ancestor
        whose cut-off is not before."""
        own = branch_ref == self.stretches[-1].branch_ref
        return own or any(s.branch_ref == branch_ref and head <= s.ceiling for s in self.stretches)

    def parameters(self) -> list[dict[str, int]]:
        """As a query takes it: newest stretch first."""
        return [
            {"branch_ref": s.branch_ref, "floor": s.floor, "ceiling": s.ceiling}
            for s in reversed(self.stretches)
        ]


def merges_until(merges: list[int], seq: int) -> list[int]:
    """What a fork at `seq` takes over of its parent's `merges`."""
    starts = range(0, len(merges), NUMBERS_PER_MERGE)
    return [n for at in starts if merges[at] <= seq for n in merges[at : at + NUMBERS_PER_MERGE]]
