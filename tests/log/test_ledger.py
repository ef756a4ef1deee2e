"""The ledger of what was destroyed: it only grows, changes are told, and a killed writer costs nothing."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from made_logs import AT, KEYS, LATER, SIGNER, TENANT, uid

from service.log.ledger import (
    EntryKind,
    Ledger,
    LedgerContradictedError,
    LedgerEntry,
    UnreadableLedgerError,
)
from service.log.tree_heads import Signer
from service.model.privacy import Destruction

WRITERS = 4
REQUESTS = 15
MIA, JON = uid(0x7001), uid(0x7002)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """One that does not exist yet."""
    return Ledger(tmp_path / "keys" / "ledger.jsonl")


def begin(ledger: Ledger, number: int = 1, **fields: Any) -> LedgerEntry:
    usual = {"tenant_id": TENANT, "request_uid": uid(number), "what": Destruction.ERASURE}
    usual |= {"subject_uids": [MIA], "plan_digest": "0a" * 32, "at": AT}
    return ledger.begin(SIGNER, **usual | fields)


def end(ledger: Ledger, number: int = 1, **fields: Any) -> LedgerEntry:
    usual = {"counts": {"events": 3, "Message": 2}, "receipt_sha256": "0b" * 32, "at": LATER}
    return ledger.end(SIGNER, request_uid=uid(number), **usual | fields)


def test_what_was_begun_and_ended_is_read_again_numbered_and_in_order(ledger: Ledger) -> None:
    assert ledger.read(KEYS) == []
    written = [begin(ledger), begin(ledger, 2, subject_uids=[JON, MIA, JON]), end(ledger, 2), end(ledger)]
    assert ledger.read(KEYS) == written
    assert [(one.ledger_seq, one.kind) for one in written] == [
        *((1, EntryKind.BEGUN), (2, EntryKind.BEGUN), (3, EntryKind.ENDED), (4, EntryKind.ENDED))
    ]
    assert written[2].subject_uids == (MIA, JON) and written[3].counts["events"] == 3
    assert ledger.path.stat().st_mode & 0o777 == 0o600


def test_said_again_the_first_entry_is_answered_and_nothing_is_written(ledger: Ledger) -> None:
    first = begin(ledger), end(ledger)
    assert (begin(ledger, at=LATER), end(ledger, at=AT)) == first
    assert len(ledger.read(KEYS)) == 2
    for contradiction in ({"subject_uids": [JON]}, {"what": Destruction.RETENTION}, {"plan_digest": None}):
        with pytest.raises(LedgerContradictedError):
            begin(ledger, **contradiction)
    with pytest.raises(LedgerContradictedError):
        end(ledger, counts={"events": 4})
    with pytest.raises(LedgerContradictedError):
        end(ledger, 2)
    assert len(ledger.read(KEYS)) == 2


def test_every_line_cut_short_by_a_kill_is_left_out_and_written_again(ledger: Ledger) -> None:
    begin(ledger)
    whole = ledger.path.read_bytes()
    begin(ledger, 2)
    both = ledger.path.read_bytes()
    for length in range(len(whole), len(both)):
        ledger.path.write_bytes(both[:length])
        assert ledger.ends_half_done() is (length > len(whole))
        assert len(ledger.read(KEYS)) == 1
        begin(ledger, 2)
        assert ledger.path.read_bytes() == both
    assert not ledger.ends_half_done()


def test_a_changed_dropped_or_moved_line_is_named(ledger: Ledger) -> None:
    for number in range(1, 4):
        begin(ledger, number)
        end(ledger, number)
    lines = ledger.path.read_bytes().splitlines(keepends=True)
    changed = json.loads(lines[2])
    row = {**changed, "subject_uids": [JON]}
    forged = json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    cases = {
        "dropped": ([*lines[:2], *lines[3:]], "line 3 does not go on"),
        "swapped": ([*lines[:2], lines[3], lines[2], *lines[4:]], "line 3 does not go on"),
        "changed": ([*lines[:2], forged, *lines[3:]], "line 4 does not go on"),
        "last one changed": ([*lines[:2], forged], "line 3 is not signed"),
        "spelled differently": ([*lines[:2], lines[2].replace(b":", b": ", 1)], "line 3 does not go on"),
        "no entry": ([*lines[:2], b"[1]\n"], "line 3 is not an entry"),
        "empty": ([*lines[:2], b"\n"], "line 3 is not an entry"),
    }
    for name, (damaged, said) in cases.items():
        ledger.path.write_bytes(b"".join(damaged))
        with pytest.raises(UnreadableLedgerError, match=said):
            ledger.read(KEYS)
        assert JON not in str(said), name


def test_every_flipped_bit_of_a_ledger_is_told(ledger: Ledger) -> None:
    begin(ledger)
    end(ledger)
    honest = ledger.path.read_bytes()
    for at in range(len(honest) - 1):
        damaged = bytearray(honest)
        damaged[at] ^= 1
        ledger.path.write_bytes(damaged)
        with pytest.raises(UnreadableLedgerError):
            ledger.read(KEYS)


def test_a_key_that_is_not_trusted_signs_nothing(ledger: Ledger) -> None:
    stranger = Signer.of(bytes(32))
    ledger.begin(
        stranger,
        tenant_id=TENANT,
        request_uid=uid(1),
        what=Destruction.ERASURE,
        subject_uids=[MIA],
        plan_digest=None,
        at=AT,
    )
    with pytest.raises(UnreadableLedgerError, match="line 1 is not signed"):
        ledger.read(KEYS)


def test_several_processes_append_and_the_chain_holds(ledger: Ledger) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(WRITERS) as pool:
        pool.starmap(write_some, [(ledger, writer) for writer in range(WRITERS)])
    entries = ledger.read(KEYS)
    assert len(entries) == REQUESTS * 2, "each request is begun and ended once, whoever was first"


def write_some(ledger: Ledger, writer: int) -> None:
    """Begin and end the same requests as everybody else, in an order of one's own."""
    for number in range(REQUESTS):
        mine = (number + writer * 4) % REQUESTS + 1
        begin(ledger, mine)
        end(ledger, mine)
