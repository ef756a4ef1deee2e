"""Verify a tenant's log in the database, and export it for others to verify."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from service.graph.driver import Graph
from service.graph.proofs import ENTRIES_PER_PAGE as PAGE
from service.graph.proofs import all_logs, all_tree_heads, entries
from service.graph.query import Row
from service.log.erasures import NOTHING_ERASED, Erasures
from service.log.exports import header, line
from service.log.kept_heads import KeptHeads
from service.log.ledger import Ledger, LedgerEntry
from service.log.stretches import What, check_stretch, in_stretches
from service.log.tree_heads import PublicKeys
from service.log.verification import Log, Verdict

READS_MAX: Final = 3
"""A branch's head and its hash are two properties: a batch that commits between their reading looks like a
fault, and is none when the log is read again. So does an erasure that begins after the ledger was read."""
_MAY_PASS: Final = frozenset({What.HEAD_HASH, What.PAYLOAD_MISSING})


@dataclass(frozen=True, slots=True)
class VerifyLog:
    """The use case; `ledger` says which payloads may be missing, without it none."""

    graph: Graph
    keys: PublicKeys
    kept: KeptHeads
    ledger: Ledger | None = None

    async def __call__(self, tenant_id: str) -> Verdict:
        """The log against itself, the heads in the database and those in the file outside it.

        What is recorded meanwhile is left out. Raises UnreadableHeadsError or
        UnreadableLedgerError.
        """
        for _ in range(READS_MAX):
            verdict = await self._verify(tenant_id)
            if not any(fault.what in _MAY_PASS for fault in verdict.faults):
                break
        return verdict

    async def _verify(self, tenant_id: str) -> Verdict:
        # In this order, a head is never newer than the branch that it is held against.
        outside = [head for head in self.kept.read() if head.tenant_id == tenant_id]
        stored = await all_tree_heads(self.graph, tenant_id)
        branches = await all_logs(self.graph, tenant_id)
        # Read after the branches: what was destroyed before they were read is in it.
        erasures = Erasures.of(self.ledger.read(self.keys)) if self.ledger else NOTHING_ERASED
        log = Log(branches, stored, outside, self.keys, erasures)
        async for page in entries(self.graph, tenant_id, _sound_stretches(log, branches), payloads=True):
            for rows in in_stretches(iter(page), PAGE):
                ref = rows[0]["branch_ref"]
                log.add(ref, check_stretch(log.plans[ref], rows, erasures))
        return log.verdict()


async def export_log(
    graph: Graph, tenant_id: str, public_keys: str, ledger: Iterable[LedgerEntry] = (), *, payloads: bool
) -> AsyncIterator[bytes]:
    """A tenant's log as the lines of an export, in pieces, with the tenant's own entries of the ledger."""
    yield header(tenant_id, payloads=payloads, public_keys=public_keys)
    stored = await all_tree_heads(graph, tenant_id)
    branches = await all_logs(graph, tenant_id)
    yield b"".join(line("branch", row) for row in branches)
    yield b"".join(line("tree_head", row) for row in stored)
    yield b"".join(line("erasure", entry.row()) for entry in ledger if entry.tenant_id == tenant_id)
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
