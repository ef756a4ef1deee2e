"""A log held against itself and against the tree heads that were kept outside the database.

First `Log` says which branches there are and what to look out for; then every stretch of events is given to
it, in order per branch; then `verdict` says whether anything was rewritten, and where first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.log.erasures import NOTHING_ERASED, Erasures, Miscount
from service.log.lineages import agrees, is_branch
from service.log.stretches import BranchLog, Fault, Plan, Row, Stretch, What, check_stretch
from service.log.tree_heads import PublicKeys, TreeHead
from service.model.chain import genesis

ROWS_PER_STRETCH = 64
"""Few enough to stay in a core's cache between parsing and checking."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was read, and `faults`: the first bad position of each branch that has one, oldest branch first.

    Of the `tree_heads` that the log was held against, `kept_outside` came from outside the database. `erased`
    payloads are missing as the ledger says; `miscounts` are requests in whose name too many are.
    """

    branches: int
    events: int
    tree_heads: int
    kept_outside: int
    faults: tuple[Fault, ...]
    erased: int = 0
    miscounts: tuple[Miscount, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing was rewritten, and nothing removed but what the ledger has."""
        return not self.faults and not self.miscounts

    @property
    def first(self) -> Fault | None:
        """The first bad position; None where nothing was rewritten."""
        return self.faults[0] if self.faults else None


class Log:
    """A log while it is read.

    `branches` are rows with `tenant_id`, `branch_uid`, `branch_ref`, `lineage`, `cutoffs`, `base`, `head`,
    `head_hash` and `parents` (as `lineages.agrees` takes them, each with its `branch_uid`); `stored` are rows
    of tree heads in the database, `outside` those that were kept elsewhere.
    """

    def __init__(
        self,
        branches: Sequence[Row],
        stored: Iterable[Mapping[str, Any]],
        outside: Iterable[TreeHead],
        keys: PublicKeys,
        erasures: Erasures = NOTHING_ERASED,
    ) -> None:
        self._keys = keys
        self._erasures = erasures
        self._faults: dict[str, Fault] = {}
        self._rows: dict[int, Row] = {}
        for row in branches:
            if not is_branch(row):
                self._note(Fault(str(row.get("branch_uid")), 1, What.BRANCH_UNREADABLE))
            elif row["branch_ref"] in self._rows:
                self._note(Fault(row["branch_uid"], row["base"] + 1, What.BRANCH_TWICE))
            else:
                self._rows[row["branch_ref"]] = row
        self._by_uid = {row["branch_uid"]: row for row in self._rows.values()}
        self._heads: dict[int, list[TreeHead]] = defaultdict(list)
        self._count = 0
        kept = [head for row in stored if (head := self._read(row)) is not None]
        self._outside = tuple(outside)
        sound = set(kept)
        for head in dict.fromkeys((*kept, *self._outside)):
            self._sort_in(head, is_sound=head in sound or head.is_signed_by(keys))
        self._missing = set(self._outside) - sound
        marks: dict[int, set[int]] = defaultdict(set)
        for ref, heads in self._heads.items():
            marks[ref] |= {head.seq for head in heads}
        for row in self._rows.values():
            if row["lineage"]:
                marks[row["lineage"][-1]].add(row["base"])
        self._logs = {
            ref: BranchLog(
                Plan(
                    row["tenant_id"],
                    row["branch_uid"],
                    row["base"],
                    tuple(sorted(seq for seq in marks[ref] if seq > row["base"])),
                )
            )
            for ref, row in self._rows.items()
        }

    @property
    def plans(self) -> dict[int, Plan]:
        """What to look out for in the events of each branch, by branch ref."""
        return {ref: log.plan for ref, log in self._logs.items()}

    def is_broken(self, branch_ref: int) -> bool:
        """Whether no more events of a branch need to be read."""
        return self._logs[branch_ref].fault is not None

    def reached(self, branch_ref: int) -> int:
        """The seq up to which a branch is sound, so far."""
        return self._logs[branch_ref].seq

    def add(self, branch_ref: int, stretch: Stretch) -> None:
        """The next stretch of a branch; of an unknown one it is a fault."""
        if branch_ref in self._logs:
            self._logs[branch_ref].add(stretch)
        else:
            self._note(Fault(f"with ref {branch_ref}", stretch.first_seq or 0, What.BRANCH_MISSING))

    def verdict(self) -> Verdict:
        """What became of it, when all has been read."""
        for ref, row in self._rows.items():
            for fault in self._faults_of(ref, row):
                self._note(fault)
        for head in self._missing:
            if head.branch_uid in self._by_uid:
                self._note(Fault(head.branch_uid, head.seq, What.TREE_HEAD_MISSING))
        faults = sorted(
            self._faults.values(), key=lambda fault: fault.branch_uid
        )  # uids are in order of time
        erased: Counter[str] = sum((log.erased for log in self._logs.values()), Counter())
        return Verdict(
            branches=len(self._rows),
            events=sum(log.seq - log.plan.base for log in self._logs.values()),
            tree_heads=self._count,
            kept_outside=len(self._outside),
            faults=tuple(faults),
            erased=erased.total(),
            miscounts=self._erasures.miscounts(erased),
        )

    def _faults_of(self, ref: int, row: Row) -> Iterable[Fault]:
        log, uid, first_seq = self._logs[ref], row["branch_uid"], row["base"] + 1
        if log.fault is not None:
            yield log.fault
        if not agrees(row):
            yield Fault(uid, first_seq, What.LINEAGE)
        anchor = self._anchor(row)
        if log.opening is not None and anchor is not None and log.opening != anchor:
            yield Fault(uid, first_seq, What.FORK)
        if log.fault is None and log.seq != row["head"]:
            what = What.MISSING if log.seq < row["head"] else What.OUT_OF_PLACE
            yield Fault(uid, min(log.seq, row["head"]) + 1, what)
        elif log.fault is None and (log.hash or anchor) not in (row["head_hash"], None):
            yield Fault(uid, row["head"], What.HEAD_HASH)
        yield from self._against_heads(ref, row, anchor)

    def _anchor(self, row: Row) -> str | None:
        """The hash that the first event of a branch must name; None where the ancestor is broken before
        it."""
        if not row["lineage"]:
            return genesis(row["tenant_id"], row["branch_uid"])
        before = self._logs.get(row["lineage"][-1])
        return before.hashes.get(row["base"]) if before else None

    def _against_heads(self, ref: int, row: Row, anchor: str | None) -> Iterable[Fault]:
        """Hold a branch against its tree heads, oldest first, up to the first that does not fit."""
        log, uid, good = self._logs[ref], row["branch_uid"], row["base"]
        parents = [parent["branch_uid"] for parent in row["parents"]] or [None]
        for head in sorted(self._heads[ref], key=lambda head: head.seq):
            if (head.base, head.branch_ref, [head.parent_branch_uid]) != (row["base"], ref, parents):
                yield Fault(uid, min(head.base, row["base"]) + 1, What.TREE_HEAD_PLACE)
                return
            if head.seq > row["head"]:
                yield Fault(uid, row["head"] + 1, What.CUT, head.seq)
                return
            if head.seq > log.seq:
                return  # the log breaks before, which is told already
            reached = log.hashes.get(head.seq) if head.tree_size else anchor
            if reached is None:
                return
            if reached != head.head_hash or log.roots.get(head.seq, head.root_hash) != head.root_hash:
                yield Fault(uid, min(good + 1, head.seq), What.HISTORY, head.seq)
                return
            good = head.seq

    def _read(self, row: Mapping[str, Any]) -> TreeHead | None:
        """A head of the database; one that was changed there is a fault of the branch where it stands."""
        try:
            head = TreeHead.of(row)
        except (KeyError, TypeError):
            head = None
        if head is None or not head.is_signed_by(self._keys):
            holder = self._rows.get(row.get("branch_ref", 0))
            uid = holder["branch_uid"] if holder else str(row.get("branch_uid"))
            seq = row.get("seq")
            self._note(Fault(uid, seq if isinstance(seq, int) else 0, What.TREE_HEAD))
            return None
        return head

    def _sort_in(self, head: TreeHead, *, is_sound: bool) -> None:
        self._count += 1
        row = self._by_uid.get(head.branch_uid)
        if not is_sound:
            self._note(Fault(head.branch_uid, head.seq, What.TREE_HEAD))
        elif row is None or row["tenant_id"] != head.tenant_id:
            self._note(Fault(head.branch_uid, head.base + 1, What.BRANCH_MISSING))
        else:
            self._heads[row["branch_ref"]].append(head)

    def _note(self, fault: Fault) -> None:
        """Keep the earliest fault of each branch."""
        known = self._faults.get(fault.branch_uid)
        if known is None or fault.seq < known.seq:
            self._faults[fault.branch_uid] = fault


def verify(
    branches: Sequence[Row],
    events: Mapping[int, Sequence[Row]],
    stored: Iterable[Mapping[str, Any]],
    outside: Iterable[TreeHead],
    keys: PublicKeys,
    erasures: Erasures = NOTHING_ERASED,
) -> Verdict:
    """Verify a log that is in memory: `events` has the rows of each branch ref in the order of their seqs."""
    log = Log(branches, stored, outside, keys, erasures)
    for ref, rows in events.items():
        plan = log.plans.get(ref) or Plan("", "", 0, ())
        for at in range(0, len(rows), ROWS_PER_STRETCH):
            log.add(ref, check_stretch(plan, rows[at : at + ROWS_PER_STRETCH], erasures))
    return log.verdict()
