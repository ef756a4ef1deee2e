"""Compare two branches of a conversation: where they part, and what each has beyond that place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from service.errors import LimitExceeded
from service.graph import branches
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.usecases.read_transcript import Opened, Page, Place, open_branch, read_page

COUNTED_EVENTS_MAX: Final = 1_000_000
"""Events of one branch beyond the place where they part."""
EVENTS_PER_COUNT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Beyond:
    """What one branch has after the common seq: its events by kind, and the first page of its messages."""

    opened: Opened
    events: dict[str, int]
    page: Page


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two branches, the newest event that both read, and by which branch's id that was recorded."""

    branch_id: str
    seq: int
    first: Beyond
    second: Beyond


@dataclass(frozen=True, slots=True)
class CompareBranches:
    """The use case."""

    graph: Graph

    async def __call__(
        self, caller: Caller, first: Place, second: Place, limit: int, token: ConsistencyToken
    ) -> Comparison:
        """Both branches as far as the asker may see them. Raises NotFound, LimitExceeded."""

        async def work(tx: Transaction) -> Comparison:
            tenant_id = caller.tenant_id
            one, two = [await open_branch(tx, tenant_id, place) for place in (first, second)]
            branch_ref, seq = one.lineage.meets(two.lineage)
            found = await branches.find_branch.one(tx, tenant_id=tenant_id, branch_ref=branch_ref)
            assert found is not None, "a lineage names branches that exist"
            sides = [await _beyond(tx, tenant_id, side, seq, limit) for side in (one, two)]
            return Comparison(found["branch_id"], seq, *sides)

        return await self.graph.read(work, token.bookmarks)


async def _beyond(tx: Transaction, tenant_id: str, opened: Opened, seq: int, limit: int) -> Beyond:
    lineage, counted = opened.lineage.after(seq), Counter[str]()
    if opened.lineage.head - seq > COUNTED_EVENTS_MAX:
        raise LimitExceeded("Each branch", COUNTED_EVENTS_MAX, "events beyond the common one")
    for floor in range(seq, opened.lineage.head, EVENTS_PER_COUNT):
        stretches = lineage.up_to(floor + EVENTS_PER_COUNT).after(floor).parameters()
        for row in await branches.count_kinds.many(tx, tenant_id=tenant_id, stretches=stretches):
            counted[row["kind"]] += row["events"]
    page = await read_page(tx, tenant_id, opened, seq, limit)
    return Beyond(opened, dict(sorted(counted.items())), page)
