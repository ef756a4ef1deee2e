"""What a missing payload needs, and what removes payloads under the cover of an erasure."""

from __future__ import annotations

from typing import Any

import pytest
from made_logs import AT, KEYS, LATER, REQUEST, SIGNER, SUBJECT, TENANT, MadeLog, begun, forked_log, uid

from service.log.erasures import Erasures
from service.log.exports import NotAnExportError, header, line, verify_lines
from service.log.ledger import EntryKind, LedgerEntry
from service.log.stretches import What
from service.model.privacy import Destruction

EARLIER = "2026-02-28T12:00:00.000000Z"
Fields = dict[str, Any]


def erased_log() -> MadeLog:
    """A log in which an erasure destroyed three payloads."""
    log = forked_log()
    for row in log.events[log.branches[0]["branch_ref"]][2:5]:
        log.erase(row)
    return log


def test_chains_and_heads_hold_where_an_erasure_destroyed_payloads() -> None:
    verdict = erased_log().verdict()
    assert (verdict.is_sound, verdict.erased) == (True, 3)


@pytest.mark.parametrize(
    "entry",
    [
        {"tenant_id": uid(0xB)},
        {"request_uid": uid(0x6002)},
        {"subject_uids": (uid(0x7002),)},
        {"subject_uids": ()},
        {"subject_uids": (), "what": Destruction.RETENTION, "at": EARLIER},
        {"subject_uids": (), "what": Destruction.OFFBOARDING, "at": EARLIER},
    ],
    ids=["another tenant", "another request", "another person", "nobody", "too old a purge", "left before"],
)
def test_an_entry_allows_nothing_else(entry: Fields) -> None:
    log = erased_log()
    log.erasures = Erasures.of([begun(**entry)])
    [fault] = log.verdict().faults
    assert (fault.seq, fault.what) == (3, What.PAYLOAD_MISSING)


@pytest.mark.parametrize("at", [AT, LATER])
@pytest.mark.parametrize("what", [Destruction.RETENTION, Destruction.OFFBOARDING])
def test_a_purge_or_a_tenant_that_left_may_name_nobody(what: Destruction, at: str) -> None:
    log = erased_log()
    log.erasures = Erasures.of([begun(subject_uids=(), what=what, at=at)])
    assert log.verdict().is_sound


def test_a_payload_removed_under_the_cover_of_an_erasure_is_counted() -> None:
    log = erased_log()
    row = log.events[log.branches[1]["branch_ref"]][1]
    row |= {"payload": None, "erased_by": REQUEST}
    verdict = log.verdict()
    assert (verdict.faults, verdict.is_sound) == ((), False)
    [miscount] = verdict.miscounts
    assert (miscount.request_uid, miscount.destroyed, miscount.missing) == (REQUEST, 3, 4)
    said = "the ledger has 3 payloads, and 4 are missing in its name"
    assert str(miscount) == f"request {REQUEST}: {said}"


def test_an_erasure_under_way_is_not_counted_yet() -> None:
    log = erased_log()
    log.erasures = Erasures.of([begun()])
    assert log.verdict().is_sound


def test_an_envelope_is_checked_as_ever_where_the_payload_is_gone() -> None:
    log = erased_log()
    log.events[log.branches[0]["branch_ref"]][3]["at"] = LATER
    [fault] = log.verdict().faults
    assert (fault.seq, fault.what) == (4, What.ENVELOPE)


def exported(log: MadeLog, entries: list[LedgerEntry]) -> bytes:
    """The lines of an export."""
    return b"".join(
        [
            header(TENANT, payloads=True, public_keys=SIGNER.public_pem()),
            *(line("branch", row) for row in log.branches),
            *(line("tree_head", row) for row in log.stored),
            *(line("erasure", entry.row()) for entry in entries),
            *(line("event", row) for rows in log.events.values() for row in rows),
        ]
    )


def signed(**fields: Any) -> LedgerEntry:
    """An entry as the ledger has it."""
    entry = begun(key_id=SIGNER.key_id, **fields)
    return begun(key_id=SIGNER.key_id, **fields, signature=SIGNER.key.sign(entry.signed_text()).hex())


@pytest.mark.parametrize("processes", [1, 2])
def test_an_export_has_the_entries_and_is_verified_with_them(processes: int) -> None:
    log = erased_log()
    entries = [signed(), signed(kind=EntryKind.ENDED, counts={"events": 3}, ledger_seq=2)]
    verdict, _ = verify_lines(exported(log, entries), log.outside, KEYS, processes)
    assert (verdict.is_sound, verdict.erased) == (True, 3)
    few = [entries[0], signed(kind=EntryKind.ENDED, counts={"events": 2}, ledger_seq=2)]
    verdict, _ = verify_lines(exported(log, few), log.outside, KEYS, processes)
    assert len(verdict.miscounts) == 1
    without, _ = verify_lines(exported(log, []), log.outside, KEYS, processes)
    assert [fault.what for fault in without.faults][:1] == [What.PAYLOAD_MISSING]


@pytest.mark.parametrize("change", [{"subject_uids": [uid(0x7002)]}, {"signature": ""}, {"at": 5}])
def test_an_entry_that_nobody_trusted_signed_is_refused(change: Fields) -> None:
    log = erased_log()
    data = exported(log, []).replace(
        b'{"type":"event"', line("erasure", signed().row() | change) + b'{"type":"event"', 1
    )
    with pytest.raises(NotAnExportError, match="erasure"):
        verify_lines(data, log.outside, KEYS, 1)


def test_an_export_made_before_there_were_erasures_is_read_as_ever() -> None:
    log = forked_log()
    assert verify_lines(exported(log, []), log.outside, KEYS, 1)[0].is_sound
    assert SUBJECT in exported(log, []).decode()
