"""Verify a tenant's log in the database, and export it for others to verify."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from service.graph.driver import Graph
from service.graph.proofs import ENTRIES_PER_PAGE as PAGE
from service.graph.proofs import all_logs, all_tree_heads, entries
from service.graph.query import Row
from service.log.exports import header, line
from service.log.kept_heads import KeptHeads
from service.log.stretches import What, check_stretch, in_stretches
from service.log.tree_heads import PublicKeys
from service.log.verification import Log, Verdict

READS_MAX: Final = 3
"""A branch's head and its hash are two properties: a batch that commits between their reading looks like a
fault, and is none when the log is read again."""


@dataclass(frozen=True, slots=True)
class VerifyLog:
    """The use case; `erased` are the uids of events whose payloads were erased by a ledger entry."""

    graph: Graph
    keys: PublicKeys
    kept: KeptHeads
    erased: frozenset[str] = frozenset()

    async def __call__(self, tenant_id: str) -> Verdict:
        """The log against itself, the heads in the database and those in the file outside it.

        What is recorded meanwhile is left out. Raises UnreadableHeadsError.
        """
        for _ in range(READS_MAX):
            verdict = await self._verify(tenant_id)
            if verdict.first is None or verdict.first.what is not What.HEAD_HASH:
                break
        return verdict

    async def _verify(self, tenant_id: str) -> Verdict:
        # In this order, a head is never newer than the branch that it is held against.
        outside = [head for head in self.kept.read() if head.tenant_id == tenant_id]
        stored = await all_tree_heads(self.graph, tenant_id)
        branches = await all_logs(self.graph, tenant_id)
        log = Log(branches, stored, outside, self.keys)
        async for page in entries(self.graph, tenant_id, _sound_stretches(log, branches), payloads=True):
            for rows in in_stretches(iter(page), PAGE):
                ref = rows[0]["branch_ref"]
                log.add(ref, check_stretch(log.plans[ref], rows, self.erased))
        return log.verdict()


async def export_log(
    graph: Graph, tenant_id: str, public_keys: str, *, payloads: bool
) -> AsyncIterator[bytes]:
    """A tenant's log as the lines of an export, in pieces."""
    yield header(tenant_id, payloads=payloads, public_keys=public_keys)
    stored = await all_tree_heads(graph, tenant_id)
    branches = await all_logs(graph, tenant_id)
    yield b"".join(line("branch", row) for row in branches)
    yield b"".join(line("tree_head", row) for row in stored)
    async for page in entries(graph, tenant_id, _stretches(branches), payloads=payloads):
        yield b"".join(line("event", row) for row in page)


def _stretches(branches: Sequence[Row]) -> Iterator[tuple[int, int, int]]:
    """All of every branch, in stretches of a page at most."""
    for row in branches:
        for floor in range(row["base"], row["head"], PAGE):
            yield row["branch_ref"], floor, min(floor + PAGE, row["head"])


def _sound_stretches(log: Log, branches: Sequence[Row]) -> Iterator[tuple[int, int, int]]:
    """The same, but nothing of a branch after its first fault or gap."""
    plans = log.plans
    for row in branches:
        if row["branch_ref"] not in plans:
            continue
        for ref, floor, ceiling in _stretches([row]):
            if log.is_broken(ref) or log.reached(ref) < floor:
                break
            yield ref, floor, ceiling
