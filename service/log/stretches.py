"""Events of one branch in a row, checked: the chain, the payloads, and the tree over them.

A log is checked in stretches, so that it can be read page by page or by several processes; `BranchLog` then
puts the stretches of a branch together. This is the one hot loop of verification: a million events in a few
seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from service.log.erasures import NOTHING_ERASED, Destroyed
from service.log.merkle import Frontier, Node, cover
from service.model.chain import ENVELOPE_DOMAIN, FORMAT, PAYLOAD_DOMAIN

Row = Mapping[str, Any]


class What(StrEnum):
    """What is wrong at a position, as it is told."""

    UNREADABLE = "the entry is not an event"
    MISSING = "the event is missing"
    OUT_OF_PLACE = "the event does not belong here"
    LINK = "the event does not name the one before it"
    ENVELOPE = "the envelope does not have its hash"
    PAYLOAD = "the payload is not the one that was committed to"
    PAYLOAD_MISSING = "the payload is missing and was not erased"
    BRANCH_MISSING = "the branch is missing"
    BRANCH_UNREADABLE = "the branch cannot be read"
    BRANCH_TWICE = "the branch is there twice"
    LINEAGE = "the lineage is not what the edge to the parent says"
    FORK = "the branch does not go on from the event it was forked at"
    HEAD_HASH = "the branch's head has not the hash of its newest event"
    TREE_HEAD = "the tree head is not what was signed by a trusted key"
    TREE_HEAD_MISSING = "a tree head that was kept outside is not in the log"
    CUT = "the log ends before a signed tree head"
    HISTORY = "the history is not the one of a signed tree head"
    TREE_HEAD_PLACE = "the branch is not where a signed tree head says it was forked"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first bad position of a branch. Where only a signed tree head tells, the position lies somewhere
    from `seq` to `until`."""

    branch_uid: str
    seq: int
    what: What
    until: int | None = None

    def __str__(self) -> str:
        place = f"seq {self.seq}" if self.until in (None, self.seq) else f"seq {self.seq} to {self.until}"
        return f"branch {self.branch_uid}, {place}: {self.what}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of a branch before its events are read.

    `marks` are the seqs at which the chain's hash and the tree's root are wanted, ascending.
    """

    tenant_id: str
    branch_uid: str
    base: int
    marks: tuple[int, ...]


class Mark(NamedTuple):
    """The hash at a seq, and the tree's growth since the mark before."""

    seq: int
    hash: str
    nodes: list[Node]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a stretch of events says: how it links up, its marks, and where it breaks first.

    Its last sound event is always a mark. Without a `first_seq` not even the first entry is an event.
    """

    first_seq: int | None
    marks: list[Mark]
    previous_hash: str | None
    fault: Fault | None = None
    erased: Mapping[str, int] = field(default_factory=dict)
    """How many payloads are missing in the name of each request that destroyed some."""


def check_stretch(
    plan: Plan, rows: Sequence[Row], erasures: Destroyed = NOTHING_ERASED, *, payloads: bool = True
) -> Stretch:
    """Check events that follow one another; it ends before the first fault.

    A row has the fields of an envelope with its `hash`, and `payload`: a map with `event_uid`, `tenant_id`,
    `salt` and `body`, or None. A payload may be missing only where `erasures` allow it by the row's
    `erased_by`; with `payloads` false none is looked at.
    """
    tenant_id, branch_uid = plan.tenant_id, plan.branch_uid
    try:
        first, opening = int(rows[0]["seq"]), rows[0]["previous_hash"]
    except (KeyError, TypeError, ValueError):
        return Stretch(None, [], None)
    marks: list[Mark] = []
    waiting = [mark for mark in reversed(plan.marks) if mark >= first]
    leaves: list[bytes] = []
    erased: dict[str, int] = {}
    start = first - plan.base - 1
    seq, previous, what = first, opening, None
    dumps, fromhex = orjson.dumps, bytes.fromhex
    for row in rows:
        try:
            if row["seq"] != seq or row["branch_uid"] != branch_uid or row["tenant_id"] != tenant_id:
                what = What.MISSING if is_later(row["seq"], seq) else What.OUT_OF_PLACE
                break
            if row["previous_hash"] != previous:
                what = What.LINK
                break
            uid, committed = row["uid"], row["payload_commitment"]
            envelope = {
                "actor_uid": row["actor_uid"],
                "at": row["at"],
                "branch_uid": branch_uid,
                "event_uid": uid,
                "format": FORMAT,
                "kind": row["kind"],
                "payload_commitment": committed,
                "previous_hash": previous,
                "seq": seq,
                "subject_uids": row["subject_uids"],
                "tenant_id": tenant_id,
            }
            digest = sha256(ENVELOPE_DOMAIN + dumps(envelope)).digest()
            reached = digest.hex()
            if reached != row["hash"]:
                what = What.ENVELOPE
                break
            if payloads:
                payload = row["payload"]
                if payload is None:
                    if not erasures.allows(row):
                        what = What.PAYLOAD_MISSING
                        break
                    erased[row["erased_by"]] = erased.get(row["erased_by"], 0) + 1
                else:
                    salt = fromhex(payload["salt"])
                    committed_text = PAYLOAD_DOMAIN + salt + payload["body"].encode()
                    if (
                        sha256(committed_text).hexdigest() != committed
                        or payload["event_uid"] != uid
                        or payload["tenant_id"] != tenant_id
                        or salt.hex() != payload["salt"]
                    ):
                        what = What.PAYLOAD
                        break
        except (KeyError, TypeError, ValueError, AttributeError):
            what = What.UNREADABLE
            break
        previous = reached
        leaves.append(sha256(b"\x00" + digest).digest())
        if waiting and waiting[-1] == seq:
            marks.append(Mark(waiting.pop(), previous, cover(start, leaves)))
            start, leaves = start + len(leaves), []
        seq += 1
    if leaves:
        marks.append(Mark(seq - 1, previous, cover(start, leaves)))
    return Stretch(first, marks, opening, Fault(branch_uid, seq, what) if what else None, erased)


def is_later(found: Any, expected: int) -> bool:
    """Whether a seq that was found says that the expected one is missing."""
    return isinstance(found, int) and found > expected


@dataclass(slots=True)
class BranchLog:
    """The stretches of one branch put together, in order, up to the first fault."""

    plan: Plan
    seq: int = field(init=False)
    opening: str | None = None
    """The hash that the first event names as the one before it; None while there is no event."""
    hash: str | None = None
    hashes: dict[int, str] = field(default_factory=dict)
    roots: dict[int, str] = field(default_factory=dict)
    """At each mark that was reached, the tree's root in hex."""
    peaks: dict[int, tuple[str, ...]] = field(default_factory=dict)
    fault: Fault | None = None
    erased: Counter[str] = field(default_factory=Counter)
    tree: Frontier = field(default_factory=Frontier)
    _wanted: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.seq = self.plan.base
        self._wanted = frozenset(self.plan.marks)

    def add(self, stretch: Stretch) -> None:
        """Go on with the next stretch; after a fault nothing more is taken."""
        if self.fault is not None:
            return
        if stretch.first_seq is None:
            self._break(What.UNREADABLE)
            return
        if stretch.first_seq != self.seq + 1:
            missing = is_later(stretch.first_seq, self.seq + 1)
            self._break(What.MISSING if missing else What.OUT_OF_PLACE)
            return
        if self.hash is not None and stretch.marks and stretch.previous_hash != self.hash:
            self._break(What.LINK)
            return
        for mark in stretch.marks:
            self.tree.extend(mark.nodes)
            self.seq, self.hash = mark.seq, mark.hash
            if mark.seq in self._wanted:
                self.note()
        if stretch.marks and self.opening is None:
            self.opening = stretch.previous_hash
        self.erased.update(stretch.erased)
        self.fault = stretch.fault

    def note(self) -> None:
        """Remember what the chain and the tree are here."""
        if self.hash is not None:
            self.hashes[self.seq] = self.hash
            self.roots[self.seq] = self.tree.root().hex()
            self.peaks[self.seq] = tuple(peak.hex() for peak in self.tree.peaks)

    def _break(self, what: What) -> None:
        self.fault = Fault(self.plan.branch_uid, self.seq + 1, what)


def in_stretches(rows: Iterator[Row], rows_max: int) -> Iterator[list[Row]]:
    """Rows in lists of one branch each, in the order in which they come."""
    gathered: list[Row] = []
    for row in rows:
        if gathered and (len(gathered) == rows_max or row.get("branch_ref") != gathered[0].get("branch_ref")):
            yield gathered
            gathered = []
        gathered.append(row)
    if gathered:
        yield gathered
