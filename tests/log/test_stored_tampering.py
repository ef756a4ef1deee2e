"""What is changed in the database itself is found through it, at its first bad position."""

from __future__ import annotations

from notary import REQUEST, NewNotary, Notary
from served import Rows
from stored_log import assign, do

from service.log.stretches import Fault, What
from service.model.chain import Envelope, genesis

BRANCH = "MATCH (n:Branch {tenant_id: $t, branch_id: $branch})"
EVENT = BRANCH.replace("(n:", "(b:") + " MATCH (n:Event {branch_ref: b.branch_ref, seq: $seq})"


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
    [event] = await rows(
        f"{EVENT} RETURN n.subject_uids AS subject_uids",
        t=notary.platform.tenant_id,
        branch="main",
        seq=4,
    )
    await do(notary, f"{EVENT} MATCH (n)-[:HAS_PAYLOAD]->(p) DETACH DELETE p", branch="main", seq=4)
    fault = await first_fault(notary)
    assert (fault.seq, fault.what) == (4, What.PAYLOAD_MISSING)
    await do(notary, f"{EVENT} SET n.erased_by = $by", branch="main", seq=4, by=REQUEST)
    assert (await first_fault(notary)).what is What.PAYLOAD_MISSING, "the ledger says nothing of it"
    notary.begin(*event["subject_uids"])
    assert (await notary.verdict()).is_sound, "an erasure under way"
    notary.end(events=1)
    assert (await notary.verdict()).is_sound


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
        await assign(notary, row["id"], changed)
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
