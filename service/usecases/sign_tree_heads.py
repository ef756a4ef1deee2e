"""Sign tree heads of branches that have moved: in the database, and as lines in a file outside it.

A head is signed only where the log goes on from the newest head before it, the one in the database and the
one in the file; what does not is refused and told, for a signature must never cover up a rewritten history.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from service.clock import Clock
from service.graph.driver import Graph
from service.graph.log import read_link
from service.graph.proofs import BRANCHES_PER_PAGE, create_tree_heads, entries, list_unsigned
from service.graph.proofs import ENTRIES_PER_PAGE as PAGE
from service.graph.query import Row
from service.log.kept_heads import KeptHeads
from service.log.merkle import Frontier
from service.log.stretches import BranchLog, Fault, Plan, What, check_stretch
from service.log.tree_heads import PublicKeys, Signer, TreeHead, newest
from service.model.chain import genesis, stamp

HEADS_PER_WRITE: Final = 500


@dataclass(frozen=True, slots=True)
class Signed:
    """How many branches had moved, how many heads were signed, and where the log did not go on."""

    branches: int
    heads: int
    refused: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class SignTreeHeads:
    """The use case. A head is signed at the newest event of a branch, and at each multiple of
    `every_events`."""

    graph: Graph
    clock: Clock
    signer: Signer
    trusted: PublicKeys
    kept: KeptHeads
    every_events: int

    async def __call__(self, *, tenant_id: str | None = None, dry_run: bool = False) -> Signed:
        """Sign for all tenants or one; one process at a time may do it. Raises UnreadableHeadsError."""
        outside = newest(self.kept.read())
        branches = heads = 0
        refused: list[Fault] = []
        after = -1
        while True:
            page = await self.graph.read(
                partial(list_unsigned.many, tenant_id=tenant_id, after=after, limit=BRANCHES_PER_PAGE)
            )
            branches += len(page)
            for row in [] if dry_run else page:
                made = await self._heads(row, outside.get(row["branch_uid"]))
                if isinstance(made, Fault):
                    refused.append(made)
                else:
                    heads += len(made)
            if len(page) < BRANCHES_PER_PAGE:
                return Signed(branches, heads, tuple(refused))
            after = page[-1]["branch_ref"]

    async def _heads(self, branch: Row, outside: TreeHead | None) -> list[TreeHead] | Fault:
        """Sign and keep the heads of one branch, or say where its log does not go on."""
        uid, base, head = branch["branch_uid"], branch["base"], branch["head"]
        start = self._start(branch)
        if isinstance(start, Fault):
            return start
        last_seq = max((one.seq for one in (start, outside) if one), default=base)
        if last_seq > head:
            return Fault(uid, head + 1, What.CUT, last_seq)
        log = await self._read(branch, start, outside)
        if log.fault is not None:
            return log.fault
        if log.seq != head:
            return Fault(uid, log.seq + 1, What.MISSING)
        if outside is not None and log.roots.get(outside.seq, outside.root_hash) != outside.root_hash:
            return Fault(uid, (start.seq if start else base) + 1, What.HISTORY, outside.seq)
        due = log.plan.marks or (head,)
        made = [outside if outside and outside.seq == seq else self._sign(branch, log, seq) for seq in due]
        for at in range(0, len(made), HEADS_PER_WRITE):
            rows = [one.row() for one in made[at : at + HEADS_PER_WRITE]]
            await self.graph.write(partial(create_tree_heads.none, tree_heads=rows))
        unkept = [start] if start and (outside is None or outside.seq < start.seq) else []
        self.kept.append([*unkept, *(one for one in made if one is not outside)])
        return made

    def _start(self, branch: Row) -> TreeHead | Fault | None:
        """The newest head in the database, from which the tree goes on."""
        if not branch["tree_heads"]:
            return None
        row = branch["tree_heads"][0]
        try:
            start = TreeHead.of(row)
        except (KeyError, TypeError):
            start = None
        same = start and (start.branch_uid, start.base) == (branch["branch_uid"], branch["base"])
        if start is None or not same or not start.is_signed_by(self.trusted):
            return Fault(branch["branch_uid"], row["seq"], What.TREE_HEAD)
        return start

    async def _read(self, branch: Row, start: TreeHead | None, outside: TreeHead | None) -> BranchLog:
        """Read on from `start` to the branch's head, with a mark wherever a head is due."""
        tenant_id, ref, base, head = (branch[name] for name in ("tenant_id", "branch_ref", "base", "head"))
        begin = start.seq if start else base
        every = self.every_events
        marks = {*range((begin // every + 1) * every, head + 1, every), head}
        if outside is not None:
            marks.add(outside.seq)
        plan = Plan(
            tenant_id, branch["branch_uid"], base, tuple(sorted(mark for mark in marks if mark > begin))
        )
        log = BranchLog(plan)
        log.seq = begin
        log.hash = start.head_hash if start else await self._anchor(branch)
        if start is not None:
            log.tree = Frontier(start.tree_size, [bytes.fromhex(peak) for peak in start.peaks])
        if log.hash is None:
            log.fault = Fault(branch["branch_uid"], base + 1, What.FORK)
        log.note()
        stretches = ((ref, floor, min(floor + PAGE, head)) for floor in range(begin, head, PAGE))
        async for page in entries(self.graph, tenant_id, stretches, payloads=False):
            if not page or log.fault is not None:
                break
            log.add(check_stretch(plan, page, payloads=False))
        return log

    async def _anchor(self, branch: Row) -> str | None:
        """The hash that the first own event of a branch names."""
        tenant_id, base = branch["tenant_id"], branch["base"]
        if not branch["lineage"]:
            return genesis(tenant_id, branch["branch_uid"])
        parent_ref = branch["lineage"][-1]
        link = await self.graph.read(
            partial(read_link.one, tenant_id=tenant_id, branch_ref=parent_ref, seq=base)
        )
        return link["hash"] if link else None

    def _sign(self, branch: Row, log: BranchLog, seq: int) -> TreeHead:
        return self.signer.signed(
            TreeHead(
                tenant_id=branch["tenant_id"],
                branch_uid=branch["branch_uid"],
                branch_ref=branch["branch_ref"],
                parent_branch_uid=next(iter(branch["parent_uids"]), None),
                base=branch["base"],
                seq=seq,
                root_hash=log.roots[seq],
                head_hash=log.hashes[seq],
                at=stamp(self.clock()),
                peaks=log.peaks[seq],
            )
        )
