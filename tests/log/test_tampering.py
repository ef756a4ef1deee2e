"""Whatever is changed in a log is found, at its first bad position; an honest log is never accused.

A change is made to rows as they lie in the database, and goes through the function that the command line
uses.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_logs import AT, KEYS, TENANT, MadeLog, Row, forked_log, sealed, signed, uid

from service.log.exports import header, line, verify_lines
from service.log.stretches import Plan as StretchPlan
from service.log.stretches import What, check_stretch
from service.model.chain import ENVELOPE_DOMAIN, Envelope

CASES = 1_000
EXPORTED_BITS = 300
HONEST = forked_log()
ENVELOPE = ("uid", "tenant_id", "branch_uid", "seq", "kind", "at", "actor_uid", "subject_uids")
HASHED = (*ENVELOPE, "payload_commitment", "previous_hash", "hash")
PAYLOAD = ("event_uid", "tenant_id", "salt", "body")
EDGE = ("lineage", "cutoffs", "base", "head", "head_hash")
TREE_HEAD = (
    *("tenant_id", "branch_uid", "branch_ref", "parent_branch_uid", "base", "seq"),
    *("root_hash", "head_hash", "at", "peaks", "key_id", "signature"),
)
Place = tuple[str, int]


def flipped(value: Any, chance: random.Random) -> Any:
    """The value with one bit changed."""
    match value:
        case list():
            at = chance.randrange(len(value))
            return [*value[:at], flipped(value[at], chance), *value[at + 1 :]]
        case int():
            return value ^ (1 << chance.randrange(53))
        case str():
            at = chance.randrange(len(value))
            return value[:at] + chr(ord(value[at]) ^ (1 << chance.randrange(7))) + value[at + 1 :]
    raise AssertionError(f"nothing to flip in a {type(value).__name__}")


def flip_an_event(log: MadeLog, chance: random.Random) -> Place:
    """One bit of an envelope, of its hash, or of a payload."""
    row = chance.choice([row for rows in log.events.values() for row in rows])
    place = (row["branch_uid"], row["seq"])
    name = chance.choice((*HASHED, *PAYLOAD))
    where = row["payload"] if name in PAYLOAD and (name not in row or chance.random() < 0.5) else row
    where[name] = flipped(where[name], chance)
    if name == "seq":  # rows are read in the order of what they now say
        log.events[row["branch_ref"]].sort(key=lambda one: one["seq"])
        branch = next(one for one in log.branches if one["branch_ref"] == row["branch_ref"])
        return place[0], max(min(place[1], row["seq"] + 1), branch["base"] + 1)
    return place


def flip_an_edge(log: MadeLog, chance: random.Random) -> Place:
    """One bit of what a branch says of its place: its arrays, its head, or the cutoff of its edge."""
    row = chance.choice(log.branches)
    name = chance.choice([*(name for name in EDGE if row[name] != []), *["cutoff"] * bool(row["parents"])])
    if name == "cutoff":
        row["parents"][0]["cutoff"] = flipped(row["parents"][0]["cutoff"], chance)
        return row["branch_uid"], row["base"] + 1
    before = row[name]
    row[name] = flipped(before, chance)
    if name == "head_hash":
        return row["branch_uid"], row["head"]
    if name == "head":
        return row["branch_uid"], min(before, row["head"]) + 1
    return row["branch_uid"], (min(before, row["base"]) if name == "base" else row["base"]) + 1


def flip_a_tree_head(log: MadeLog, chance: random.Random) -> Place:
    """One bit of a signed head in the database."""
    row = chance.choice(log.stored)
    place = (row["branch_uid"], row["seq"])
    row |= {(name := chance.choice([name for name in TREE_HEAD if row[name]])): flipped(row[name], chance)}
    return place[0], min(place[1], row["seq"])


def drop_an_event(log: MadeLog, chance: random.Random) -> Place:
    """An event is gone, with its payload."""
    rows = log.events[chance.choice([ref for ref, rows in log.events.items() if rows])]
    row = rows.pop(chance.randrange(len(rows)))
    return row["branch_uid"], row["seq"]


def swap_two_events(log: MadeLog, chance: random.Random) -> Place:
    """Two events have changed places, each with the other's seq."""
    rows = log.events[chance.choice([ref for ref, rows in log.events.items() if len(rows) > 1])]
    one, two = sorted(chance.sample(range(len(rows)), 2))
    first_seq = rows[one]["seq"]
    rows[one], rows[two] = rows[two], rows[one]
    rows[one]["seq"], rows[two]["seq"] = rows[two]["seq"], rows[one]["seq"]
    return rows[one]["branch_uid"], first_seq


def cut_the_tail(log: MadeLog, chance: random.Random) -> Place:
    """The newest events are gone and the branch says that they never were; so are the heads over them."""
    row = chance.choice([row for row in log.branches if row["head"] > row["base"]])
    rows = log.events[row["branch_ref"]]
    keep = chance.randrange(len(rows))
    cut = rows[keep:]
    del rows[keep:]
    row["head"] = cut[0]["seq"] - 1
    row["head_hash"] = cut[0]["previous_hash"]
    for other in log.branches:
        for edge in other["parents"]:
            if edge["branch_ref"] == row["branch_ref"]:
                edge["head"] = row["head"]
    log.stored = [
        head for head in log.stored if head["branch_ref"] != row["branch_ref"] or head["seq"] <= row["head"]
    ]
    return row["branch_uid"], row["head"] + 1


def fork_the_history(log: MadeLog, chance: random.Random) -> Place:
    """From some event on, another history is written, every hash of it made anew; heads over it are gone."""
    row = chance.choice([row for row in log.branches if row["head"] > row["base"]])
    rows = log.events[row["branch_ref"]]
    start = chance.randrange(len(rows))
    previous = rows[start]["previous_hash"]
    for at in range(start, len(rows)):
        old = rows[at]
        rows[at] = sealed(row, old["uid"], '{"forged":1}', bytes(32), old["seq"], previous)
        previous = rows[at]["hash"]
    row["head_hash"] = previous
    first_seq = rows[start]["seq"]
    ref = row["branch_ref"]
    log.stored = [one for one in log.stored if one["branch_ref"] != ref or one["seq"] < first_seq]
    good = max(
        (head.seq for head in log.outside if head.branch_ref == ref and head.seq < first_seq),
        default=row["base"],
    )
    return row["branch_uid"], good + 1


def lose_a_payload(log: MadeLog, chance: random.Random) -> Place:
    """A payload is gone without a ledger entry."""
    row = chance.choice([row for rows in log.events.values() for row in rows])
    row["payload"] = None
    return row["branch_uid"], row["seq"]


TAMPERINGS: dict[str, tuple[int, Callable[[MadeLog, random.Random], Place]]] = {
    "a bit of an event": (500, flip_an_event),
    "a bit of an edge": (150, flip_an_edge),
    "a bit of a tree head": (150, flip_a_tree_head),
    "an event dropped": (60, drop_an_event),
    "two events swapped": (60, swap_two_events),
    "the tail cut": (60, cut_the_tail),
    "the history forked": (60, fork_the_history),
    "a payload lost": (40, lose_a_payload),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_it_is_found_with_the_first_bad_position(tampering: str) -> None:
    count, tamper = TAMPERINGS[tampering]
    missed = []
    for number in range(count):
        log = HONEST.copy()
        branch_uid, seq = tamper(log, random.Random(f"{tampering} {number}"))
        faults = {fault.branch_uid: fault for fault in log.verdict().faults}
        if branch_uid not in faults or faults[branch_uid].seq != seq:
            missed.append((number, branch_uid, seq, [str(fault) for fault in faults.values()]))
    assert missed == []


def test_one_bit_of_an_exported_event_is_found_at_its_line() -> None:
    lines = [header(TENANT, payloads=True, public_keys="")]
    lines += [line("branch", row) for row in HONEST.branches] + [
        line("tree_head", row) for row in HONEST.stored
    ]
    events = [row for rows in HONEST.events.values() for row in rows]
    before, after = b"".join(lines), [line("event", row) for row in events]
    missed = []
    for number in range(EXPORTED_BITS):
        chance = random.Random(number)
        at = chance.randrange(1, len(events))  # without its type, the first one ends the export's beginning
        changed = bytearray(after[at])
        changed[chance.randrange(len(changed) - 1)] ^= 1 << chance.randrange(8)
        data = before + b"".join((*after[:at], changed, *after[at + 1 :]))
        found = {one.branch_uid: one.seq for one in verify_lines(data, HONEST.outside, KEYS)[0].faults}
        if found.get(events[at]["branch_uid"]) != events[at]["seq"]:
            missed.append((number, events[at]["seq"], found))
    assert missed == []


def test_these_are_a_thousand_cases() -> None:
    assert sum(count for count, _ in TAMPERINGS.values()) >= CASES


def test_of_a_forked_history_the_stretch_is_named_in_which_it_begins() -> None:
    log = HONEST.copy()
    main = log.branches[0]
    rows = log.events[main["branch_ref"]]
    assert [head.seq for head in log.outside if head.branch_uid == main["branch_uid"]] == [9, 14]
    for at in range(10, 14):
        rows[at] = sealed(main, uid(1), "{}", bytes(32), at + 1, rows[at - 1]["hash"])
    main["head_hash"] = rows[-1]["hash"]
    first = log.verdict().first
    assert first is not None
    assert (first.branch_uid, first.seq, first.until, first.what) == (uid(1), 10, 14, What.HISTORY)
    assert str(first).startswith(f"branch {uid(1)}, seq 10 to 14: ")


def test_a_branch_that_is_gone_with_all_its_heads_is_missed() -> None:
    log = HONEST.copy()
    gone = log.branches.pop()
    del log.events[gone["branch_ref"]]
    log.stored = [row for row in log.stored if row["branch_ref"] != gone["branch_ref"]]
    [fault] = log.verdict().faults
    assert (fault.branch_uid, fault.what) == (gone["branch_uid"], What.BRANCH_MISSING)


def test_a_head_that_is_gone_from_the_database_is_missed() -> None:
    log = HONEST.copy()
    gone = log.stored.pop()
    [fault] = log.verdict().faults
    assert (fault.branch_uid, fault.seq, fault.what) == (
        gone["branch_uid"],
        gone["seq"],
        What.TREE_HEAD_MISSING,
    )


def test_a_fork_that_is_moved_to_another_place_with_all_it_says_is_seen() -> None:
    log = HONEST.copy()
    empty = log.branches[-1]
    main = log.branches[0]
    assert empty["head"] == empty["base"] == 12
    empty |= {"base": 11, "head": 11, "cutoffs": [11]}
    empty["head_hash"] = log.event(main["branch_ref"], 11)["hash"]
    empty["parents"][0]["cutoff"] = 11
    [fault] = log.verdict().faults
    assert (fault.branch_uid, fault.seq, fault.what) == (empty["branch_uid"], 12, What.TREE_HEAD_PLACE)


def test_a_fork_that_is_hung_on_another_parent_is_seen() -> None:
    log = HONEST.copy()
    main, child, _, early, _ = log.branches
    assert early["lineage"] == [main["branch_ref"]], "what it reads is the same either way"
    edge = {name: main[name] for name in ("branch_uid", "branch_ref", "lineage", "cutoffs", "head")}
    early["parents"] = [edge | {"cutoff": early["base"]}]
    assert child["branch_uid"] not in edge.values()
    [fault] = log.verdict().faults
    assert (fault.branch_uid, fault.what) == (early["branch_uid"], What.TREE_HEAD_PLACE)


def test_a_forged_head_is_no_head() -> None:
    log = HONEST.copy()
    head = signed(log.branches[0], log.events[log.branches[0]["branch_ref"]])
    log.stored.append(head.row() | {"seq": 99, "at": AT})
    [fault] = log.verdict().faults
    assert (fault.seq, fault.what) == (99, What.TREE_HEAD)


def test_events_of_no_branch_are_told() -> None:
    log = HONEST.copy()
    log.events[5] = [{"seq": 1, "previous_hash": "", "branch_ref": 5}]
    [fault] = log.verdict().faults
    assert fault.what is What.BRANCH_MISSING


def test_an_erased_payload_is_no_fault_with_its_ledger_entry() -> None:
    log = HONEST.copy()
    row = log.events[log.branches[0]["branch_ref"]][3]
    row["payload"] = None
    [fault] = log.verdict().faults
    assert (fault.seq, fault.what) == (4, What.PAYLOAD_MISSING)
    log.erase(row)
    verdict = log.verdict()
    assert (verdict.is_sound, verdict.erased) == (True, 1)


@given(st.data())
def test_an_honest_log_is_never_accused(data: st.DataObject) -> None:
    log = MadeLog()
    log.open()
    for _ in range(data.draw(st.integers(0, 12))):
        branch = data.draw(st.sampled_from(log.branches))
        match data.draw(st.sampled_from(["append", "append", "fork", "sign", "sign one", "erase"])):
            case "append":
                log.append(branch, data.draw(st.integers(1, 20)), data.draw(st.text(max_size=5)))
            case "fork" if branch["head"]:
                log.open(branch, data.draw(st.integers(1, branch["head"])))
            case "sign":
                log.sign()
            case "sign one":
                log.sign(branch)
            case "erase" if rows := log.events[branch["branch_ref"]]:
                row = data.draw(st.sampled_from(rows))
                log.erase(row)
    verdict = log.verdict()
    assert verdict.is_sound
    assert verdict.events == sum(len(rows) for rows in log.events.values())
    assert (verdict.branches, verdict.kept_outside) == (len(log.branches), len(log.outside))


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(TEXT, TEXT, st.none() | TEXT, st.lists(TEXT, max_size=3), TEXT, TEXT, st.integers(1, 2**53))
def test_the_fast_form_of_an_envelope_is_the_canonical_one(
    kind: str, at: str, actor: str | None, subjects: list[str], committed: str, before: str, seq: int
) -> None:
    """Verification writes envelopes by another library; any text must come out as `Envelope.hash` has it."""
    envelope = Envelope(TENANT, "b", seq, "e", kind, at, actor, tuple(subjects), committed, before)
    row: Row = {name: getattr(envelope, name) for name in Envelope.__slots__}
    row |= {"uid": "e", "subject_uids": subjects, "hash": envelope.hash(), "payload": None}
    stretch = check_stretch(StretchPlan(TENANT, "b", seq - 1, ()), [row], payloads=False)
    assert stretch.fault is None
    assert stretch.marks[0].hash == envelope.hash()


def test_the_format_of_the_log_is_what_it_was() -> None:
    """The stored logs of others depend on it: a change needs a format of its own."""
    assert ENVELOPE_DOMAIN == b"runtime-graph/envelope/1\n"
    row = sealed({"branch_uid": uid(1), "branch_ref": 1}, uid(2), '{"ü":1}', bytes(32), 1, "0" * 64)
    assert row["hash"] == "732409de53fa85ccaab4005a1cd0a4d85fa04efe5341ecb487198d2f2379a17e"
    assert row["payload_commitment"] == "d9318314f5a68b1d8a7ced79ee205b8592c1671185fa08468386e2248b7e4928"
