"""What is cut, moved, doubled, dropped or written anew in the database is found at its first bad position."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from notary import REQUEST, NewNotary
from served import Rows
from stored_log import Row, StoredLog, do
from test_stored_bits import CASES as BITS
from test_tampering import TAMPERINGS as IN_MEMORY

from service.model.chain import Envelope, canonical, commitment

TIMES = 5
ALL_CASES_MIN = 1_000
STORED_CASES_MIN = 150
EVENT = "MATCH (e:Event {branch_ref: $ref, seq: $seq})-[h:HAS_PAYLOAD]->(p:Payload) "
BRANCH = "MATCH (b:Branch {branch_ref: $ref}) "
Place = tuple[str, int]


@dataclass(frozen=True)
class Tamperer:
    """Somebody with the database's password; `chance` decides where."""

    log: StoredLog
    chance: random.Random

    async def do(self, text: str, **more: object) -> None:
        await do(self.log.notary, text, **more)

    def branch(self, *, events: int = 1) -> Row:
        """A branch with at least so many events of its own."""
        return self.chance.choice([row for row in self.log.branches if len(row["events"]) >= events])

    def fork(self) -> Row:
        """A branch that has a parent."""
        return self.chance.choice([row for row in self.log.branches if row["parents"]])

    async def at_an_event(self, text: str) -> Place:
        row = self.branch()
        event = self.chance.choice(row["events"])["event"]
        await self.do(EVENT + text, ref=event["branch_ref"], seq=event["seq"])
        return row["branch"]["uid"], event["seq"]

    async def at_a_fork(self, text: str) -> Place:
        row = self.fork()
        parents = {one["parent"] for one in row["parents"]}
        away = [one["branch"]["branch_ref"] for one in self.log.branches if one["id"] not in parents]
        await self.do(
            BRANCH + "MATCH (b)-[i:INHERITS]->(p) MATCH (o:Branch {branch_ref: $other}) " + text,
            ref=row["branch"]["branch_ref"],
            other=self.chance.choice(away),
        )
        return row["branch"]["uid"], row["branch"]["base"] + 1


async def cut_a_payload_off(by: Tamperer) -> Place:
    return await by.at_an_event("DELETE h")


async def lose_a_payload(by: Tamperer) -> Place:
    return await by.at_an_event("DETACH DELETE p")


async def turn_an_edge_round(by: Tamperer) -> Place:
    return await by.at_an_event("DELETE h CREATE (p)-[:HAS_PAYLOAD]->(e)")


async def double_an_edge(by: Tamperer) -> Place:
    return await by.at_an_event("CREATE (e)-[:HAS_PAYLOAD]->(p)")


async def add_a_payload(by: Tamperer) -> Place:
    return await by.at_an_event(
        "CREATE (e)-[:HAS_PAYLOAD]->(:Payload {tenant_id: $t, event_uid: 'x', salt: p.salt, body: p.body})"
    )


async def exchange_two_payloads(by: Tamperer) -> Place:
    row = by.branch(events=2)
    one, two = sorted(event["event"]["seq"] for event in by.chance.sample(row["events"], 2))
    other = "MATCH (f:Event {branch_ref: $ref, seq: $two})-[g:HAS_PAYLOAD]->(q) DELETE h, g "
    crossed = "CREATE (e)-[:HAS_PAYLOAD]->(q), (f)-[:HAS_PAYLOAD]->(p)"
    await by.do(EVENT + other + crossed, ref=row["branch"]["branch_ref"], seq=one, two=two)
    return row["branch"]["uid"], one


async def drop_an_event(by: Tamperer) -> Place:
    return await by.at_an_event("DETACH DELETE e, p")


async def swap_two_events(by: Tamperer) -> Place:
    row = by.branch(events=2)
    one, two = sorted(event["event"]["seq"] for event in by.chance.sample(row["events"], 2))
    other = "MATCH (f:Event {branch_ref: $ref, seq: $two}) SET e.seq = -1 "
    swap = "WITH e, f SET f.seq = $seq WITH e SET e.seq = $two"
    await by.do(EVENT + other + swap, ref=row["branch"]["branch_ref"], seq=one, two=two)
    return row["branch"]["uid"], one


async def cut_the_tail(by: Tamperer) -> Place:
    """With all that the branch says of it, and the heads over it."""
    row = by.branch()
    ref, cut = row["branch"]["branch_ref"], by.chance.choice(row["events"])["event"]
    tail = "MATCH (e:Event {branch_ref: $ref})-[:HAS_PAYLOAD]->(p) WHERE e.seq >= $seq DETACH DELETE e, p"
    await by.do(tail, ref=ref, seq=cut["seq"])
    await by.do("MATCH (h:TreeHead {branch_ref: $ref}) WHERE h.seq >= $seq DELETE h", ref=ref, seq=cut["seq"])
    hidden = BRANCH + "SET b.head = $seq - 1, b.head_hash = $hash"
    await by.do(hidden, ref=ref, seq=cut["seq"], hash=cut["previous_hash"])
    return row["branch"]["uid"], cut["seq"]


async def fork_the_history(by: Tamperer) -> Place:
    """From some event on another history, every hash of it made anew; the heads over it are gone."""
    row = by.branch()
    branch, start = row["branch"], by.chance.randrange(len(row["events"]))
    previous = row["events"][start]["event"]["previous_hash"]
    body = canonical({"kind": "message", "text": "forged"})
    for one in row["events"][start:]:
        event = one["event"]
        forged = {name: event.get("uid" if name == "event_uid" else name) for name in Envelope.__slots__}
        forged |= {"previous_hash": previous, "payload_commitment": commitment(bytes(32), body)}
        previous = Envelope(**forged | {"subject_uids": tuple(event["subject_uids"])}).hash()
        values = {name: forged[name] for name in ("previous_hash", "payload_commitment")} | {"hash": previous}
        text = EVENT + "SET e += $values, p.body = $body, p.salt = $salt"
        place = {"ref": branch["branch_ref"], "seq": event["seq"]}
        await by.do(text, values=values, body=body, salt=bytes(32).hex(), **place)
    await by.do(BRANCH + "SET b.head_hash = $hash", ref=branch["branch_ref"], hash=previous)
    first_seq = row["events"][start]["event"]["seq"]
    gone = "MATCH (h:TreeHead {branch_ref: $ref}) WHERE h.seq >= $seq DELETE h"
    await by.do(gone, ref=branch["branch_ref"], seq=first_seq)
    kept = [one["head"]["seq"] for one in row["heads"] if one["head"]["seq"] < first_seq]
    return branch["uid"], max(kept, default=branch["base"]) + 1


async def cut_a_fork_off(by: Tamperer) -> Place:
    return await by.at_a_fork("DELETE i")


async def hang_a_fork_elsewhere(by: Tamperer) -> Place:
    return await by.at_a_fork("CREATE (b)-[:INHERITS {cutoff: i.cutoff}]->(o) DELETE i")


async def give_a_fork_two_parents(by: Tamperer) -> Place:
    return await by.at_a_fork("CREATE (b)-[:INHERITS {cutoff: i.cutoff}]->(o)")


async def give_the_first_branch_a_parent(by: Tamperer) -> Place:
    main, row = by.log.branches[0]["branch"], by.fork()
    hang = "MATCH (o:Branch {branch_ref: $other}) CREATE (b)-[:INHERITS {cutoff: 1}]->(o)"
    await by.do(BRANCH + hang, ref=main["branch_ref"], other=row["branch"]["branch_ref"])
    return main["uid"], 1


async def lose_a_tree_head(by: Tamperer) -> Place:
    row = by.chance.choice([row for row in by.log.branches if row["heads"]])
    head = by.chance.choice(row["heads"])["head"]
    gone = "MATCH (h:TreeHead {branch_ref: $ref, seq: $seq}) DELETE h"
    await by.do(gone, ref=head["branch_ref"], seq=head["seq"])
    return row["branch"]["uid"], head["seq"]


async def lose_a_branch(by: Tamperer) -> Place:
    row = by.fork()
    await by.do(BRANCH + "SET b.tenant_id = 'nobody'", ref=row["branch"]["branch_ref"])
    return row["branch"]["uid"], row["branch"]["base"] + 1


KINDS: list[Callable[[Tamperer], Awaitable[Place]]] = [
    *(cut_a_payload_off, lose_a_payload, turn_an_edge_round, double_an_edge, add_a_payload),
    *(exchange_two_payloads, drop_an_event, swap_two_events, cut_the_tail, fork_the_history),
    *(cut_a_fork_off, hang_a_fork_elsewhere, give_a_fork_two_parents, give_the_first_branch_a_parent),
    *(lose_a_tree_head, lose_a_branch),
]


async def test_it_is_found_in_the_database_with_the_first_bad_position(
    new_notary: NewNotary, rows: Rows
) -> None:
    notary = await new_notary()
    log = await StoredLog.read(notary, rows)
    missed = []
    for tamper in KINDS:
        for number in range(TIMES):
            name = f"{tamper.__name__} {number}"
            branch_uid, seq = await tamper(Tamperer(log, random.Random(name)))
            faults = {fault.branch_uid: fault for fault in (await notary.verdict()).faults}
            await log.put_back()
            if branch_uid not in faults or faults[branch_uid].seq != seq:
                missed.append((name, branch_uid, seq, [*map(str, faults.values())]))
    print(f"{len(KINDS) * TIMES} stored structures changed")  # noqa: T201
    assert missed == []
    assert (await notary.verdict()).faults == ()


def test_these_are_a_thousand_cases_and_enough_of_them_in_the_database() -> None:
    in_memory, stored = sum(count for count, _ in IN_MEMORY.values()), BITS + len(KINDS) * TIMES
    print(f"{in_memory} cases in memory and {stored} in the database")  # noqa: T201
    assert in_memory + stored >= ALL_CASES_MIN
    assert stored >= STORED_CASES_MIN


@pytest.mark.parametrize("entry", ["of it", "of another event"])
async def test_a_missing_payload_counts_as_erased_only_with_its_own_ledger_entry(
    new_notary: NewNotary, rows: Rows, entry: str
) -> None:
    notary = await new_notary()
    log = await StoredLog.read(notary, rows)
    [gone, other] = [one["event"] for one in log.branches[0]["events"][3:5]]
    await do(notary, EVENT + "DETACH DELETE p", ref=gone["branch_ref"], seq=gone["seq"])
    named = gone if entry == "of it" else other
    by = {"ref": named["branch_ref"], "seq": named["seq"], "by": REQUEST}
    await do(notary, "MATCH (e:Event {branch_ref: $ref, seq: $seq}) SET e.erased_by = $by", **by)
    notary.begin(*gone["subject_uids"])
    places = [(fault.branch_uid, fault.seq) for fault in (await notary.verdict()).faults]
    assert places == ([] if entry == "of it" else [(gone["branch_uid"], gone["seq"])])
