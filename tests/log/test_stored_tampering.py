"""What is changed in the database itself is found through it, at its first bad position."""

from __future__ import annotations

import random
from typing import Any

import pytest
from notary import NewNotary, Notary
from served import Rows
from test_tampering import flipped

from service.log.stretches import Fault, What
from service.model.chain import Envelope, genesis

BRANCH = "MATCH (n:Branch {tenant_id: $t, branch_id: $branch})"
EVENT = BRANCH.replace("(n:", "(b:") + " MATCH (n:Event {branch_ref: b.branch_ref, seq: $seq})"
HEAD = BRANCH.replace("(n:", "(b:") + " MATCH (n:TreeHead {branch_ref: b.branch_ref, seq: $seq})"
PLACES = {
    "event": EVENT,
    "payload": EVENT.replace("(n:", "(e:") + " MATCH (e)-[:HAS_PAYLOAD]->(n:Payload)",
    "branch": BRANCH,
    "edge": BRANCH.replace("(n:", "(b:") + "-[n:INHERITS]->()",
    "tree head": HEAD,
}
ENVELOPE = (
    *("uid", "tenant_id", "branch_uid", "branch_ref", "seq", "kind", "at", "actor_uid", "subject_uids"),
    *("payload_commitment", "previous_hash", "hash"),
)
TREE_HEAD = (
    *("tenant_id", "branch_uid", "branch_ref", "base", "seq", "root_hash", "head_hash", "at", "peaks"),
    *("key_id", "signature"),
)
CASES = [
    *(("event", "main", 4, name, 4) for name in ENVELOPE),
    *(("event", "child", 7, name, 7) for name in ENVELOPE),
    *(("event", "grandchild", 7, name, 7) for name in ("previous_hash", "hash", "at")),
    *(("payload", "main", 6, name, 6) for name in ("event_uid", "tenant_id", "salt", "body")),
    *(("payload", "child", 6, name, 6) for name in ("salt", "body")),
    *(("branch", "grandchild", 7, name, 7) for name in ("lineage", "cutoffs", "head_hash", "branch_ref")),
    *(("branch", "main", 0, name, None) for name in ("head", "head_hash", "base")),
    *(
        ("edge", name, 0, "cutoff", base + 1)
        for name, base in (("child", 5), ("empty", 3), ("grandchild", 6))
    ),
    *(("tree head", "child", 7, name, 7) for name in (*TREE_HEAD, "parent_branch_uid")),
]
"""Where, and the first bad position; None where the flipped bit decides."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:4])))
async def test_one_bit_is_found_in_the_database(untouched: Notary, rows: Rows, case: tuple[Any, ...]) -> None:
    place, branch, seq, name, position = case
    tenant = {"t": untouched.platform.tenant_id, "branch": branch}
    at = f"{PLACES[place]} WITH n LIMIT 1"
    [found] = await rows(f"{at} RETURN n[$name] AS value, elementId(n) AS id", **tenant, seq=seq, name=name)
    [uids] = await rows(f"{BRANCH} RETURN n.uid AS uid, n.head AS head, n.branch_ref AS ref", **tenant)
    changed = flipped(found["value"], random.Random(str(case)))
    if name == "seq":
        changed = found["value"] + 2**40
    await assign(untouched, place, found["id"], {name: changed})
    try:
        faults = {fault.branch_uid: fault for fault in (await untouched.verdict()).faults}
    finally:
        await assign(untouched, place, found["id"], {name: found["value"]})
    assert uids["uid"] in faults, faults
    if position is None:
        position = (
            uids["head"] if name == "head_hash" else 1 if name == "base" else min(uids["head"] + 1, changed)
        )
    if (place, name) == ("branch", "branch_ref"):
        assert faults[uids["uid"]].seq <= position
    else:
        assert faults[uids["uid"]].seq == position


def test_these_are_fifty_cases() -> None:
    assert len(CASES) >= 50


async def assign(notary: Notary, place: str, element_id: str, values: dict[str, Any]) -> None:
    """Change properties of a node or an edge."""
    pattern = "()-[n]->()" if place == "edge" else "(n)"
    text = f"MATCH {pattern} WHERE elementId(n) = $id SET n += $values"
    await notary.graph.write(lambda tx: tx.run(text, {"id": element_id, "values": values}))


async def do(notary: Notary, text: str, **more: Any) -> None:
    """Write to the database behind the service's back."""
    await notary.graph.write(lambda tx: tx.run(text, {"t": notary.platform.tenant_id, **more}))


async def first_fault(notary: Notary) -> Fault:
    """The first bad position; there must be one."""
    first = (await notary.verdict()).first
    assert first is not None
    return first


async def test_a_dropped_event_is_missed(notary: Notary) -> None:
    await do(notary, f"{EVENT} MATCH (n)-[:HAS_PAYLOAD]->(p) DETACH DELETE n, p", branch="main", seq=5)
    fault = await first_fault(notary)
    assert (fault.seq, fault.what) == (5, What.MISSING)


async def test_two_swapped_events_are_seen(notary: Notary) -> None:
    first = EVENT.replace("(n:", "(one:").replace("$seq", "4")
    second = "MATCH (two:Event {branch_ref: b.branch_ref, seq: 7})"
    swap = "SET one.seq = 1000 WITH one, two SET two.seq = 4 WITH one SET one.seq = 7"
    await do(notary, f"{first} {second} {swap}", branch="main")
    assert (await first_fault(notary)).seq == 4


async def test_a_cut_tail_is_missed_also_when_the_branch_says_that_it_never_was(notary: Notary) -> None:
    cut = "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) MATCH (e:Event {branch_ref: b.branch_ref}) "
    await do(notary, f"{cut} WHERE e.seq > 8 MATCH (e)-[:HAS_PAYLOAD]->(p) DETACH DELETE e, p")
    hide = "WITH b, e WHERE e.seq = 8 SET b.head = 8, b.head_hash = e.hash"
    await do(notary, cut + hide)
    await do(notary, "MATCH (h:TreeHead {tenant_id: $t}) WHERE h.seq > 8 DELETE h")
    fault = await first_fault(notary)
    assert (fault.seq, fault.what) == (9, What.CUT)
    signed = await notary.sign()
    assert (signed.heads, [(one.seq, one.what) for one in signed.refused]) == (0, [(9, What.CUT)])


async def test_a_payload_counts_as_erased_only_with_its_ledger_entry(notary: Notary, rows: Rows) -> None:
    [event] = await rows(f"{EVENT} RETURN n.uid AS uid", t=notary.platform.tenant_id, branch="main", seq=4)
    await do(notary, f"{EVENT} MATCH (n)-[:HAS_PAYLOAD]->(p) DETACH DELETE p", branch="main", seq=4)
    fault = await first_fault(notary)
    assert (fault.seq, fault.what) == (4, What.PAYLOAD_MISSING)
    assert (await notary.verdict(frozenset([event["uid"]]))).faults == ()


async def test_a_history_written_anew_is_held_against_the_heads_outside_and_never_signed(
    notary: Notary, rows: Rows
) -> None:
    tenant = {"t": notary.platform.tenant_id, "branch": "main"}
    [main] = await rows(f"{BRANCH} RETURN n.uid AS uid, n.branch_ref AS ref", **tenant)
    found = await rows(
        "MATCH (e:Event {branch_ref: $ref}) RETURN properties(e) AS e, elementId(e) AS id ORDER BY e.seq",
        ref=main["ref"],
    )
    previous = genesis(notary.platform.tenant_id, main["uid"])
    for row in found:
        fields = {name: row["e"].get("uid" if name == "event_uid" else name) for name in Envelope.__slots__}
        fields |= {"previous_hash": previous, "subject_uids": tuple(fields["subject_uids"])}
        fields["at"] = "2020-01-01T00:00:00.000000Z"
        previous = Envelope(**fields).hash()
        changed = {"at": fields["at"], "previous_hash": fields["previous_hash"], "hash": previous}
        await assign(notary, "event", row["id"], changed)
    await do(notary, f"{BRANCH} SET n.head_hash = $hash", branch="main", hash=previous)
    await do(notary, "MATCH (h:TreeHead {tenant_id: $t}) WHERE h.branch_ref = $ref DELETE h", ref=main["ref"])
    fault = await first_fault(notary)
    assert (fault.branch_uid, fault.seq, fault.what) == (main["uid"], 1, What.HISTORY)
    signed = await notary.sign()
    assert (signed.heads, [one.what for one in signed.refused]) == (0, [What.HISTORY])


async def test_other_tenants_are_no_part_of_a_verdict(new_notary: NewNotary, untouched: Notary) -> None:
    other = await new_notary()
    await do(other, f"{EVENT} SET n.kind = 'pin'", branch="main", seq=2)
    assert (await first_fault(other)).seq == 2
    verdict = await untouched.verdict()
    assert (verdict.faults, verdict.branches, verdict.events) == ((), 4, 14)
