"""The ledger: what was destroyed, in a file outside the database that only grows.

Each destruction has two entries: one *begun*, on the disk before anything is destroyed, and one *ended*, with
the counts and the hash of the receipt. Entries are numbered, name the SHA-256 of the line before, and are
signed with the log's key. They hold pseudonyms, enumerations, counts, hashes and times, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature

from service.log.line_files import appending, ends_half_done, whole_lines
from service.log.tree_heads import PublicKeys, Signer, exact_bytes
from service.model.chain import canonical
from service.model.privacy import Destruction

FORMAT: Final = 1
DOMAIN: Final = b"runtime-graph/ledger/1\n"
FIRST_HASH: Final = hashlib.sha256(DOMAIN).hexdigest()
"""What the first entry names as the line before it."""
EVENTS: Final = "events"
"""The count of events whose payloads were destroyed, among the counts of an ended entry."""


class EntryKind(StrEnum):
    """What an entry says of a destruction."""

    BEGUN = "begun"
    ENDED = "ended"


class UnreadableLedgerError(ValueError):
    """The file is no ledger, or was changed; the message names the line, and not what is in it."""


class LedgerContradictedError(ValueError):
    """The ledger has such an entry already, and it says something else."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One entry. `at` is RFC 3339 UTC with microseconds; hashes and the signature are lower-case hex.

    `counts` and `receipt_sha256` are those of an ended one, `plan_digest` stands in the begun one.
    """

    ledger_seq: int
    kind: EntryKind
    tenant_id: str
    request_uid: str
    what: Destruction
    subject_uids: tuple[str, ...]
    at: str
    plan_digest: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    receipt_sha256: str | None = None
    previous_hash: str = FIRST_HASH
    key_id: str = ""
    signature: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> LedgerEntry:
        """From a row or a line that has these fields. Raises KeyError, TypeError or ValueError."""
        known = {one.name: row[one.name] for one in fields(cls)}
        texts = ("tenant_id", "request_uid", "at", "previous_hash", "key_id", "signature")
        if not all(type(known[name]) is str for name in texts):
            raise TypeError("a text field is no str")
        if not all(
            known[name] is None or type(known[name]) is str for name in ("plan_digest", "receipt_sha256")
        ):
            raise TypeError("a hash is no str")
        counts, subjects = dict(known["counts"]), tuple(known["subject_uids"])
        if not all(type(number) is int for number in (known["ledger_seq"], *counts.values())):
            raise TypeError("a number is no int")
        if not all(type(name) is str for name in (*counts, *subjects)):
            raise TypeError("a name is no str")
        known |= {"kind": EntryKind(known["kind"]), "what": Destruction(known["what"])}
        return cls(**known | {"counts": counts, "subject_uids": subjects})

    def row(self) -> dict[str, Any]:
        """All fields, as they are written and sent."""
        row = {one.name: getattr(self, one.name) for one in fields(self)}
        return row | {"subject_uids": list(self.subject_uids), "counts": dict(self.counts)}

    def text(self) -> str:
        """Its line, without the end."""
        return canonical(self.row())

    def signed_text(self) -> bytes:
        """What is signed: all but the signature."""
        signed = {name: value for name, value in self.row().items() if name != "signature"}
        return DOMAIN + canonical({"format": FORMAT, **signed}).encode()

    def is_signed_by(self, keys: PublicKeys) -> bool:
        """Whether one of the keys, the one that it names, signed exactly this."""
        key = keys.get(self.key_id)
        if key is None:
            return False
        try:
            key.verify(exact_bytes(self.signature), self.signed_text())
        except (InvalidSignature, ValueError):
            return False
        return True

    def says(self) -> tuple[object, ...]:
        """What it says, apart from its place and its time."""
        return (
            *(self.tenant_id, self.what, self.subject_uids, self.plan_digest, self.receipt_sha256),
            canonical(dict(self.counts)),
        )


@dataclass(frozen=True, slots=True)
class Ledger:
    """The file at `path`; without one nothing was destroyed yet. Any number of processes may append."""

    path: Path

    def read(self, keys: PublicKeys) -> list[LedgerEntry]:
        """Every entry, in order, chain and signatures checked. Raises UnreadableLedgerError or OSError.

        A line that a killed writer left half done says nothing yet: see `ends_half_done`.
        """
        entries = _chained(whole_lines(self.path))
        for entry in entries:
            if not entry.is_signed_by(keys):
                raise UnreadableLedgerError(f"line {entry.ledger_seq} is not signed by a trusted key")
        return entries

    def ends_half_done(self) -> bool:
        """Whether a killed writer left half a line, which readers leave out."""
        return ends_half_done(self.path)

    def begin(
        self,
        signer: Signer,
        *,
        tenant_id: str,
        request_uid: str,
        what: Destruction,
        subject_uids: Iterable[str],
        plan_digest: str | None,
        at: str,
    ) -> LedgerEntry:
        """Say that a destruction begins; it is on the disk when this returns. Said again, the first entry is
        answered. Raises UnreadableLedgerError, LedgerContradictedError or OSError: nothing may be destroyed
        then."""
        subjects = tuple(sorted(set(subject_uids)))
        entry = LedgerEntry(
            0, EntryKind.BEGUN, tenant_id, request_uid, what, subjects, at, plan_digest=plan_digest
        )
        with appending(self.path) as file:
            known = _chained(whole_lines(self.path))
            found = _find(known, request_uid, EntryKind.BEGUN)
            if found is None:
                found = _continued(entry, known, signer)
                file.write(found.text().encode() + b"\n")
        return _same(found, entry)

    def end(
        self,
        signer: Signer,
        *,
        request_uid: str,
        counts: Mapping[str, int],
        receipt_sha256: str | None,
        at: str,
    ) -> LedgerEntry:
        """Say that a destruction that was begun has ended; `counts["events"]` is how many events lost their
        payloads to it. Said again, the first entry is answered. Raises as `begin` does."""
        with appending(self.path) as file:
            known = _chained(whole_lines(self.path))
            begun = _find(known, request_uid, EntryKind.BEGUN)
            if begun is None:
                raise LedgerContradictedError("the ledger does not say that this was begun")
            ended = replace(
                begun,
                kind=EntryKind.ENDED,
                at=at,
                plan_digest=None,
                counts=dict(counts),
                receipt_sha256=receipt_sha256,
            )
            found = _find(known, request_uid, EntryKind.ENDED)
            if found is None:
                found = _continued(ended, known, signer)
                file.write(found.text().encode() + b"\n")
        return _same(found, ended)


def _chained(lines: Sequence[bytes]) -> list[LedgerEntry]:
    """The entries of lines that go on from one another; signatures are not looked at."""
    entries: list[LedgerEntry] = []
    previous, begun, ended = FIRST_HASH, set[str](), set[str]()
    for number, line in enumerate(lines, start=1):
        try:
            entry = LedgerEntry.of(json.loads(line))
            is_exact = entry.text().encode() == line
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UnreadableLedgerError(f"line {number} is not an entry of a ledger") from None
        if not is_exact or (entry.ledger_seq, entry.previous_hash) != (number, previous):
            raise UnreadableLedgerError(f"line {number} does not go on from the line before it")
        same = begun if entry.kind is EntryKind.BEGUN else ended
        if entry.request_uid in same or (entry.kind is EntryKind.ENDED and entry.request_uid not in begun):
            raise UnreadableLedgerError(f"line {number} begins or ends what it cannot")
        same.add(entry.request_uid)
        previous = hashlib.sha256(line).hexdigest()
        entries.append(entry)
    return entries


def _continued(entry: LedgerEntry, known: Sequence[LedgerEntry], signer: Signer) -> LedgerEntry:
    """The entry at the end of the ledger, signed."""
    previous = hashlib.sha256(known[-1].text().encode()).hexdigest() if known else FIRST_HASH
    placed = replace(entry, ledger_seq=len(known) + 1, previous_hash=previous, key_id=signer.key_id)
    return replace(placed, signature=signer.key.sign(placed.signed_text()).hex())


def _find(known: Iterable[LedgerEntry], request_uid: str, kind: EntryKind) -> LedgerEntry | None:
    return next((one for one in known if (one.request_uid, one.kind) == (request_uid, kind)), None)


def _same(found: LedgerEntry, wanted: LedgerEntry) -> LedgerEntry:
    if found.says() != wanted.says():
        raise LedgerContradictedError("the ledger has an entry of this request that says something else")
    return found
