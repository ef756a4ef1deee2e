"""Proofs about a branch's log: the newest signed tree head, that it has an event, that it goes on from
before."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from service.errors import InvalidRequest, LimitExceeded, LogRewritten, NotFound
from service.graph.driver import Graph, Transaction
from service.graph.proofs import find_tree_head, hashes, list_entries, open_for_proof
from service.graph.query import Row
from service.log.merkle import consistency_proof, inclusion_proof, leaf_hash, root_hash
from service.log.tree_heads import TreeHead
from service.model.caller import Caller
from service.model.lineage import Lineage, Stretch

PROOF_EVENTS_MAX: Final = 1_000_000
SEQ_MAX: Final = 2**53 - 1
NOT_SIGNED = (
    "tree head yet. A tree head is the service's signature over a branch's events up to one seq; only "
    "what it covers can be proved. The job sign_tree_heads signs new events, every five minutes where "
    "jobs run: ask again then, and where you gave a seq of a head, give one that was signed"
)


@dataclass(frozen=True, slots=True)
class ProveLog:
    """The use case. Answers are ids, hashes and numbers; proofs hold without trust in this service."""

    graph: Graph

    async def head(self, caller: Caller, conversation_id: str, branch_id: str) -> TreeHead:
        """The newest signed tree head of a branch. Raises NotFound."""

        async def work(tx: Transaction) -> TreeHead:
            lineage = await _lineage(tx, caller, conversation_id, branch_id)
            return await _tree_head(tx, caller, lineage.stretches[-1].branch_ref, 0)

        return await self.graph.read(work)

    async def inclusion(
        self, caller: Caller, conversation_id: str, branch_id: str, seq: int
    ) -> dict[str, Any]:
        """That the event at `seq` of a branch's lineage is in the tree of the newest signed head over it.

        An inherited event is in the tree of the ancestor that recorded it, whose head is then answered.
        """

        async def work(tx: Transaction) -> tuple[TreeHead, Row | None]:
            lineage = await _lineage(tx, caller, conversation_id, branch_id)
            owner = _owner(lineage, seq)
            head = await _tree_head(tx, caller, owner.branch_ref, seq)
            place = {"branch_ref": owner.branch_ref, "floor": seq - 1, "ceiling": seq}
            rows = await list_entries.many(tx, tenant_id=caller.tenant_id, stretches=[place], payloads=False)
            return head, rows[0] if rows else None

        head, event = await self.graph.read(work)
        leaves = await self._leaves(head)
        if event is None:
            raise LogRewritten
        index = seq - head.base - 1
        path = await asyncio.to_thread(inclusion_proof, leaves, index)
        return {
            "envelope": {name: value for name, value in event.items() if name not in _NOT_HASHED},
            "leaf_index": index,
            "inclusion_path": [one.hex() for one in path],
            "tree_head": head,
        }

    async def consistency(
        self, caller: Caller, conversation_id: str, branch_id: str, first_seq: int, second_seq: int | None
    ) -> dict[str, Any]:
        """That a branch's tree at the signed head of `second_seq` (the newest) goes on from that of
        `first_seq`."""

        async def work(tx: Transaction) -> tuple[TreeHead, TreeHead]:
            lineage = await _lineage(tx, caller, conversation_id, branch_id)
            ref = lineage.stretches[-1].branch_ref
            second = await _tree_head(tx, caller, ref, second_seq or 0, second_seq or SEQ_MAX)
            return await _tree_head(tx, caller, ref, first_seq, first_seq), second

        first, second = await self.graph.read(work)
        if first.seq > second.seq:
            raise InvalidRequest([{"location": "first_seq", "problem": "must not be above second_seq"}])
        path: list[bytes] = []
        if first.tree_size:
            leaves = await self._leaves(second)
            path = await asyncio.to_thread(consistency_proof, leaves, first.tree_size)
        return {"first": first, "second": second, "consistency_path": [one.hex() for one in path]}

    async def _leaves(self, head: TreeHead) -> list[bytes]:
        """The leaf hashes of a head's tree; they must make the root that was signed. Raises LogRewritten."""
        if head.tree_size > PROOF_EVENTS_MAX:
            raise LimitExceeded("A proof", PROOF_EVENTS_MAX, "events in the tree")
        stored = await hashes(self.graph, head.tenant_id, head.branch_ref, head.base, head.seq)
        leaves = await asyncio.to_thread(_leaf_hashes, stored)
        if (await asyncio.to_thread(root_hash, leaves)).hex() != head.root_hash:
            raise LogRewritten
        return leaves


_NOT_HASHED = ("hash", "branch_ref", "payload", "payloads")


def _leaf_hashes(stored: list[str]) -> list[bytes]:
    try:
        return [leaf_hash(bytes.fromhex(one)) for one in stored]
    except (ValueError, TypeError):
        raise LogRewritten from None


async def _lineage(tx: Transaction, caller: Caller, conversation_id: str, branch_id: str) -> Lineage:
    row = await open_for_proof.one(
        tx, tenant_id=caller.tenant_id, conversation_id=conversation_id, branch_id=branch_id
    )
    if row is None:
        raise NotFound("branch")
    return Lineage.of_row(row)


def _owner(lineage: Lineage, seq: int) -> Stretch:
    for stretch in lineage.stretches:
        if stretch.floor < seq <= stretch.ceiling:
            return stretch
    raise NotFound("event")


async def _tree_head(
    tx: Transaction, caller: Caller, branch_ref: int, seq_min: int, seq_max: int = SEQ_MAX
) -> TreeHead:
    row = await find_tree_head.one(
        tx, tenant_id=caller.tenant_id, branch_ref=branch_ref, seq_min=seq_min, seq_max=seq_max
    )
    if row is None:
        raise NotFound(NOT_SIGNED)
    return TreeHead.of(row["tree_head"])
