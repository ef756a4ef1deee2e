"""Logs made in memory by the functions that seal real ones: branches, forks of forks, payloads, signed
heads."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from service.log.erasures import NOTHING_ERASED, Erasures
from service.log.ledger import EntryKind, LedgerEntry
from service.log.stretches import BranchLog, Plan, check_stretch
from service.log.tree_heads import Signer, TreeHead
from service.log.verification import Verdict, verify
from service.model.chain import Envelope, canonical, commitment, genesis
from service.model.lineage import Lineage
from service.model.privacy import Destruction

Row = dict[str, Any]
SIGNER = Signer.of(bytes(range(32)))
KEYS = {SIGNER.key_id: SIGNER.key.public_key()}
TENANT = "018f0000-0000-7000-8000-00000000000a"
AT = "2026-03-01T12:00:00.000000Z"
LATER = "2026-03-02T12:00:00.000000Z"


def uid(number: int) -> str:
    """An id of the service's form; in the order of the numbers."""
    return f"018f{number:04x}-0000-7000-8000-{number:012x}"


SUBJECT = uid(0x7001)
REQUEST = uid(0x6001)


@dataclass
class MadeLog:
    """Branches and their events as they are stored, the database's heads, and those that were kept
    outside."""

    branches: list[Row] = field(default_factory=list)
    events: dict[int, list[Row]] = field(default_factory=dict)
    stored: list[Row] = field(default_factory=list)
    outside: list[TreeHead] = field(default_factory=list)
    erasures: Erasures = NOTHING_ERASED
    _made: int = 0

    def open(self, parent: Row | None = None, at_seq: int = 0) -> Row:
        """A new branch, forked off `parent` at a seq of its lineage."""
        number = len(self.branches) + 1
        row: Row = {
            "tenant_id": TENANT,
            "branch_uid": uid(number),
            "branch_ref": 1000 + number,
            "lineage": [],
            "cutoffs": [],
            "base": 0,
            "head": 0,
            "parents": [],
        }
        row["head_hash"] = genesis(TENANT, row["branch_uid"])
        if parent is not None:
            whole = Lineage.of(parent["branch_ref"], parent["lineage"], parent["cutoffs"], parent["head"])
            inherited = whole.up_to(at_seq).stretches
            row["lineage"] = [one.branch_ref for one in inherited]
            row["cutoffs"] = [one.ceiling for one in inherited]
            row["base"] = row["head"] = at_seq
            row["head_hash"] = self.event(inherited[-1].branch_ref, at_seq)["hash"]
            edge = {name: parent[name] for name in ("branch_uid", "branch_ref", "lineage", "cutoffs", "head")}
            row["parents"] = [edge | {"cutoff": at_seq}]
        self.branches.append(row)
        self.events[row["branch_ref"]] = []
        return row

    def append(self, branch: Row, count: int = 1, text: str = "Hello") -> None:
        """Record messages."""
        for _ in range(count):
            self._made += 1
            body = canonical({"kind": "message", "text": f"{text} {self._made}"})
            salt = self._made.to_bytes(32)
            self.events[branch["branch_ref"]].append(
                sealed(branch, uid(0x8000 + self._made), body, salt, branch["head"] + 1, branch["head_hash"])
            )
            branch["head"] += 1
            branch["head_hash"] = self.events[branch["branch_ref"]][-1]["hash"]
        for other in self.branches:
            for edge in other["parents"]:
                if edge["branch_ref"] == branch["branch_ref"]:
                    edge["head"] = branch["head"]

    def event(self, branch_ref: int, seq: int) -> Row:
        """One entry."""
        return next(row for row in self.events[branch_ref] if row["seq"] == seq)

    def erase(self, row: Row) -> None:
        """Destroy a payload, as the ledger says: by a request of the person whom all events name."""
        row |= {"payload": None, "erased_by": REQUEST}
        rows = [row for found in self.events.values() for row in found]
        count = sum(row.get("erased_by") is not None for row in rows)
        self.erasures = Erasures.of([begun(), begun(kind=EntryKind.ENDED, counts={"events": count})])

    def sign(self, *branches: Row) -> None:
        """Sign where branches (all) stand now, in the database and outside."""
        for branch in branches or self.branches:
            head = signed(branch, self.events[branch["branch_ref"]])
            if head not in self.outside:
                self.outside.append(head)
                self.stored.append(head.row())

    def copy(self) -> MadeLog:
        """The same log, to be changed."""
        return copy.deepcopy(self)

    def verdict(self) -> Verdict:
        """Held against everything that is known."""
        return verify(self.branches, self.events, self.stored, self.outside, KEYS, self.erasures)


def begun(**fields: Any) -> LedgerEntry:
    """An entry of the ledger that begins an erasure of the person whom all events name."""
    usual: Row = {
        "ledger_seq": 1,
        "kind": EntryKind.BEGUN,
        "tenant_id": TENANT,
        "request_uid": REQUEST,
        "what": Destruction.ERASURE,
        "subject_uids": (SUBJECT,),
        "at": LATER,
    }
    return LedgerEntry(**usual | fields)


def sealed(branch: Row, event_uid: str, body: str, salt: bytes, seq: int, previous_hash: str) -> Row:
    """An entry as it is stored."""
    envelope = Envelope(
        tenant_id=TENANT,
        branch_uid=branch["branch_uid"],
        seq=seq,
        event_uid=event_uid,
        kind="message",
        at=AT,
        actor_uid=uid(0x7000),
        subject_uids=(SUBJECT,),
        payload_commitment=commitment(salt, body),
        previous_hash=previous_hash,
    )
    row: Row = {name: getattr(envelope, name) for name in Envelope.__slots__ if name != "event_uid"}
    return row | {
        "uid": event_uid,
        "branch_ref": branch["branch_ref"],
        "subject_uids": [SUBJECT],
        "hash": envelope.hash(),
        "payload": {"event_uid": event_uid, "tenant_id": TENANT, "salt": salt.hex(), "body": body},
    }


def signed(branch: Row, rows: list[Row]) -> TreeHead:
    """A signed head over all of a branch's own events."""
    plan = Plan(TENANT, branch["branch_uid"], branch["base"], (branch["head"],))
    log = BranchLog(plan)
    log.hash = branch["head_hash"] if not rows else rows[0]["previous_hash"]
    log.note()
    if rows:
        log.add(check_stretch(plan, rows, payloads=False))
    seq = branch["head"]
    return SIGNER.signed(
        TreeHead(
            tenant_id=TENANT,
            branch_uid=branch["branch_uid"],
            branch_ref=branch["branch_ref"],
            parent_branch_uid=branch["parents"][0]["branch_uid"] if branch["parents"] else None,
            base=branch["base"],
            seq=seq,
            root_hash=log.roots[seq],
            head_hash=log.hashes[seq],
            at=AT,
            peaks=log.peaks[seq],
        )
    )


def forked_log() -> MadeLog:
    """A log with a fork, a fork of that, one inside the inherited part, and one without events; signed
    twice."""
    log = MadeLog()
    main = log.open()
    log.append(main, 9)
    child = log.open(main, 6)
    log.append(child, 4)
    grandchild = log.open(child, 8)
    log.append(grandchild, 3)
    log.sign()
    log.append(main, 5)
    early = log.open(child, 4)
    log.append(early, 5)
    log.open(main, 12)
    log.append(child, 3)
    log.sign()
    return log
