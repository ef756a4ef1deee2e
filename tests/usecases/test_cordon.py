"""Nothing is recorded of somebody who was erased: not late, not in a race; and each process forgets."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from agent_platform import Json, agent, answered, asked, called, human, remembered
from pydantic import TypeAdapter
from restricting import restricted, restricted_no_more
from served import Rows
from wired_tenant import Tenant, Tenants

from service.errors import Gone, UnknownReference
from service.graph.driver import Graph, Transaction
from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.model.vocabulary import Label, PrivacyClass, Rating, Relationship, RuntimeKind
from service.policies.turn_caps import TurnAmounts
from service.storage.blobs import Blobs
from service.text.render import Format
from service.usecases.append_events import AppendEvents
from service.usecases.assemble_context import Assembled, AssembleRequest
from service.usecases.assembly.choosing import Where
from service.usecases.compact_branch import CompactRequest
from service.usecases.connect_entities import End, PlatformEdge
from service.usecases.erased_ids import id_digest
from service.usecases.hide_people import cordon, show
from service.usecases.keep_knowledge import NewVersion
from service.usecases.put_entity import Entity
from service.usecases.read_transcript import Place
from service.usecases.recall.forgetting import TEXT_CACHES

GROUP = "group"
NOBODYS = ({"kind": "conversation"}, human(), human("tom"), agent())
OTHERS = """
MATCH (e:Event {tenant_id: $t}) UNWIND e.subject_uids AS uid
MATCH (b:Branch {branch_ref: e.branch_ref}) MATCH (c:Conversation {uid: b.conversation_uid})
MATCH (u:User {uid: uid}) WHERE NOT EXISTS { (u)-[:SUBJECT_OF]->(c) } RETURN count(*) AS n
"""
EDGES = "MATCH (:User {tenant_id: $t})-[e:SUBJECT_OF]->() RETURN count(e) AS n"
HEAD = "MATCH (b:Branch {tenant_id: $t, conversation_id: $c, branch_id: 'main'}) RETURN b.head AS head"
UID = "MATCH (u:User {tenant_id: $t, user_id: $id}) RETURN u.uid AS uid"


@pytest.fixture
async def tenant(tenants: Tenants) -> AsyncIterator[Tenant]:
    yield await tenants.new()


async def record(tenant: Tenant, *events: Json, at: str = GROUP, case: AppendEvents | None = None) -> Any:
    batch = TypeAdapter(Batch).validate_python({"conversation_id": at, "events": list(events)})
    return await (case or tenant.use.append_events)(tenant.caller, batch, None)


async def erased(
    tenant: Tenant, rows: Rows, user_id: str = "u-mia", conversations: tuple[str, ...] = ()
) -> str:
    """Let the cordon fall around a person; answers the uid."""
    uid = str((await rows(UID, t=tenant.caller.tenant_id, id=user_id))[0]["uid"])
    named = [id_digest(tenant.use.secret, "user", user_id)]
    named += [id_digest(tenant.use.secret, "conversation", one) for one in conversations]

    async def work(tx: Transaction) -> None:
        await cordon(tx, tenant.caller.tenant_id, [uid], named, tenant.clock())

    await tenant.use.graph.write(work)
    return uid


async def refused(call: Any) -> str:
    with pytest.raises(Gone) as raised:
        await call
    assert (raised.value.status, raised.value.code) == (410, "erased")
    return raised.value.location


async def test_whatever_names_an_erased_person_is_refused_with_its_place(tenant: Tenant, rows: Rows) -> None:
    await record(tenant, *NOBODYS, asked("m1", "hello", "tom"), called("c1", subject_ids=["u-mia"]))
    await record(tenant, {"kind": "conversation", "user_id": "u-mia"}, human(), agent(), at="mias")
    await erased(tenant, rows)
    own = {"kind": "conversation", "user_id": "u-mia"}
    assert await refused(record(tenant, own, at="new")) == "events[0].user_id"
    ok = asked("m2", "fine", "tom")
    assert await refused(record(tenant, ok, asked("m3", "late"))) == "events[1].participant_id"
    about = asked("m3", "of her", "tom", subject_ids=["u-mia"])
    assert await refused(record(tenant, ok, about)) == "events[1].subject_ids"
    memory = remembered("u1", "12A", by="tom", user_id="u-mia")
    assert await refused(record(tenant, memory)) == "events[0].user_id"
    assert await refused(record(tenant, answered("c1", "late"))) == "events[0]"
    assert await refused(record(tenant, asked("m3", "x", "agent"), at="mias")) == "conversation_id"
    await record(tenant, ok)


async def test_ratings_bookings_edges_and_documents_of_an_erased_person_are_refused(
    tenant: Tenant, rows: Rows
) -> None:
    use, caller = tenant.use, tenant.caller
    await record(tenant, *NOBODYS, asked("m1", "hello", "agent", role="assistant"))
    await use.put_entity(caller, Entity(Label.PRODUCT, "p1", "Cruise"))
    await erased(tenant, rows)
    assert await refused(use.rate_answer(caller, "m1", "u-mia", Rating.UP)) == "user_id"
    booking = Entity(Label.BOOKING, "b1", "Hers", user_id="u-mia")
    assert await refused(use.put_entity(caller, booking)) == "user_id"
    edge = PlatformEdge(Relationship.BOOKED, End(Label.USER, "u-mia"), End(Label.PRODUCT, "p1"))
    assert await refused(use.connect_entities(caller, [edge])) == "edges[0].start.user_id"
    new = NewVersion("T", "text", None, PrivacyClass.INTERNAL)
    assert await refused(use.keep_knowledge.put(caller, "d1", new, ["u-mia"], None)) == "subject_ids"


@pytest.mark.parametrize("is_gone", [False, True], ids=["ids are there still", "ids are gone"])
async def test_a_conversation_of_an_erased_person_goes_on_no_more(
    tenant: Tenant, rows: Rows, is_gone: bool
) -> None:
    use, caller = tenant.use, tenant.caller
    opening = ({"kind": "conversation", "user_id": "u-mia"}, human(), agent())
    await record(tenant, *opening, asked("m1", "Where do I sit?"), at="mias")
    await erased(tenant, rows, conversations=("mias",))
    if is_gone:
        await forget_ids(use.graph, caller.tenant_id)
    where, place = Where("mias", "main", "agent"), Place("mias", "main", "agent")
    calls = [
        record(tenant, asked("m2", "late", "agent"), at="mias"),
        record(tenant, *opening, at="mias"),
        assembled(tenant, where),
        use.check_turn(caller, where, TurnAmounts(), ConsistencyToken(())),
        use.compact_branch(caller, CompactRequest(place, "z1")),
    ]
    for call in calls:
        await refused(call)


async def forget_ids(graph: Graph, tenant_id: str) -> None:
    """What the cascade does to a person's ids, after which the person is hidden no more."""

    async def work(tx: Transaction) -> None:
        await tx.run(
            "MATCH (u:User {tenant_id: $t}) WHERE u.erased_at IS NOT NULL REMOVE u.user_id", t=tenant_id
        )
        for label in ("Conversation", "Branch", "Participant"):
            await tx.run(f"MATCH (n:{label} {{tenant_id: $t}}) REMOVE n.conversation_id", t=tenant_id)
        await tx.run("MATCH (t:Tenant {tenant_id: $t}) REMOVE t.hidden_uids", t=tenant_id)

    await graph.write(work)


async def test_an_erased_seat_of_a_conversation_that_goes_on_is_refused(tenant: Tenant, rows: Rows) -> None:
    await record(tenant, *NOBODYS, asked("m1", "hello"))
    conversation = (
        await rows("MATCH (c:Conversation {tenant_id: $t}) RETURN c.uid AS uid", t=tenant.caller.tenant_id)
    )[0]
    await erased(tenant, rows)

    async def work(tx: Transaction) -> None:
        await tx.run(
            "MATCH (p:Participant {tenant_id: $t, participant_id: 'mia'}) REMOVE p.participant_id",
            t=tenant.caller.tenant_id,
        )
        digest = id_digest(tenant.use.secret, "participant", "mia", conversation["uid"])
        await tx.run("CREATE (:ErasedId {tenant_id: $t, id_digest: $d})", t=tenant.caller.tenant_id, d=digest)

    await tenant.use.graph.write(work)
    assert await refused(record(tenant, asked("m2", "late"))) == "events[0].participant_id"
    again = {"kind": "participant", "participant_id": "mia", "participant_kind": "human"}
    assert await refused(record(tenant, again)) == "events[0].participant_id"
    with pytest.raises(UnknownReference):
        await record(tenant, asked("m2", "who?", "nobody"))


class Held(Blobs):
    """A blob store that stops a batch where the race is, until it is let go."""

    def __init__(self, blobs: Blobs) -> None:
        self.__dict__.update(blobs.__dict__)
        self.blobs, self.reached, self.go = blobs, asyncio.Event(), asyncio.Event()

    async def put(self, *args: Any, **more: Any) -> Any:
        self.reached.set()
        await self.go.wait()
        return await self.blobs.put(*args, **more)

    async def get(self, *args: Any, **more: Any) -> Any:
        self.reached.set()
        await self.go.wait()
        return await self.blobs.get(*args, **more)


LARGE = called("big", {"much": "x" * 20_000}, subject_ids=["u-mia"], by="agent")
"""An event whose bytes go to the blob store: there its batch can be held while it has its branch's lock, and
the batch with its result before that, where the arguments are read again."""


async def test_a_batch_that_began_before_the_cordon_is_refused_after_it(tenant: Tenant, rows: Rows) -> None:
    await record(tenant, *NOBODYS, LARGE)
    held = Held(tenant.use.append_events.blobs)
    result = answered("big", "done", subject_ids=["u-mia"])
    late = asyncio.create_task(record(tenant, result, case=replace(tenant.use.append_events, blobs=held)))
    await held.reached.wait()
    await erased(tenant, rows)
    held.go.set()
    assert await refused(late) == "events[0]"
    head = await rows(HEAD, t=tenant.caller.tenant_id, c=GROUP)
    assert head == [{"head": len(NOBODYS) + 1}]


async def test_a_batch_that_makes_a_conversation_one_of_theirs_is_waited_for(
    tenant: Tenant, rows: Rows
) -> None:
    """The conversation holds nothing of the person yet: the cordon waits, and then knows it."""
    await record(tenant, {"kind": "conversation"}, human(), at="elsewhere")
    await record(tenant, {"kind": "conversation"}, agent())
    held = Held(tenant.use.append_events.blobs)
    first = asyncio.create_task(record(tenant, LARGE, case=replace(tenant.use.append_events, blobs=held)))
    await held.reached.wait()
    falling = asyncio.create_task(erased(tenant, rows))
    held.go.set()
    made, uid = await asyncio.gather(first, falling)
    assert made.head == 3
    ended = await rows("MATCH (u:User {uid: $u})-[:SUBJECT_OF]->(c) RETURN count(c) AS n", u=uid)
    assert ended == [{"n": 2}]
    assert await refused(record(tenant, asked("m1", "late", "agent", subject_ids=["u-mia"])))


async def test_batches_and_a_cordon_at_once_leave_nothing_behind_it(tenant: Tenant, rows: Rows) -> None:
    """Whatever was accepted was committed before the cordon: its events are counted there."""
    await record(tenant, *NOBODYS)
    writers = [record(tenant, asked(f"m{n}", "racing"), at=GROUP) for n in range(8)]
    done = await asyncio.gather(*writers, erased(tenant, rows), return_exceptions=True)
    accepted = [one for one in done[:-1] if not isinstance(one, BaseException)]
    assert all(isinstance(one, Gone) for one in done[:-1] if isinstance(one, BaseException))
    head = await rows(HEAD, t=tenant.caller.tenant_id, c=GROUP)
    assert head == [{"head": len(NOBODYS) + len(accepted)}]


async def test_all_people_of_a_conversations_events_are_found_by_its_edges(
    tenants: Tenants, rows: Rows
) -> None:
    chance = random.Random(7)
    for _ in range(6):
        tenant = await tenants.new()
        people = [f"u-{n}" for n in range(5)]
        for place in ("a", "b"):
            owner = {"user_id": chance.choice(people)} if chance.random() < 0.5 else {}
            await record(
                tenant, {"kind": "conversation", **owner}, human("p0", user_id="u-0"), agent(), at=place
            )
        for number in range(12):
            place = chance.choice(("a", "b"))
            some = {"subject_ids": chance.sample(people, chance.randrange(3))}
            name = f"{place}{number}"
            events = [
                asked(name, "said", chance.choice(("p0", "agent")), **some),
                called(name, **some),
                answered(name, "done", **(some if chance.random() < 0.5 else {})),
                remembered(name, "x", by="p0", user_id=chance.choice(people)),
                human(f"seat-{name}", user_id=chance.choice(people)),
            ]
            await record(tenant, *chance.sample(events[:2], 2), *events[2:], at=place)
        assert await rows(OTHERS, t=tenant.caller.tenant_id) == [{"n": 0}]
        assert (await rows(EDGES, t=tenant.caller.tenant_id))[0]["n"] <= 2 * len(people)


async def assembled(tenant: Tenant, where: Where) -> Assembled:
    request = AssembleRequest(
        where=where,
        provider="local",
        model=None,
        runtime_kind=RuntimeKind.CHAT,
        budget_tokens=2000,
        profile=None,
        format=Format.CANONICAL,
        tools=(),
        token=ConsistencyToken(()),
    )
    return await tenant.use.assemble_context(tenant.caller, request)


async def test_a_process_forgets_when_somebody_is_hidden(tenant: Tenant, rows: Rows) -> None:
    """By the next assembly, and by a look of its own where there is none."""
    use, where = tenant.use, Where(GROUP, "main", "agent")
    await record(tenant, *NOBODYS, asked("m1", "the zirkonvogel sings"), asked("m2", "what else?", "tom"))
    shelves = use.assemble_context.chooser.shelves
    context = await assembled(tenant, where)
    assert "zirkonvogel" in str(context.request)
    assert any(key[0] == tenant.caller.tenant_id for key in shelves._shelves)
    uid = str((await rows(UID, t=tenant.caller.tenant_id, id="u-mia"))[0]["uid"])
    await restricted(use, tenant.caller.tenant_id, [uid])
    await use.forgetting.look()
    assert not any(key[0] == tenant.caller.tenant_id for key in shelves._shelves)
    assert all(cache.cache_info().currsize == 0 for cache in TEXT_CACHES)
    assert "zirkonvogel" not in str((await assembled(tenant, where)).request)
    await restricted_no_more(use, tenant.caller.tenant_id, [uid])
    assert "zirkonvogel" in str((await assembled(tenant, where)).request)


async def test_a_text_that_was_redacted_is_served_no_more(tenant: Tenant, rows: Rows) -> None:
    use, where = tenant.use, Where(GROUP, "main", "agent")
    await record(tenant, *NOBODYS, asked("m1", "the zirkonvogel sings"), asked("m2", "what sings?", "tom"))
    await assembled(tenant, where)

    async def redact(tx: Transaction) -> None:
        t = tenant.caller.tenant_id
        await tx.run(
            "MATCH (m:Message {tenant_id: $t, message_id: 'm1'}) SET m.text = 'the [redacted] sings'", t=t
        )
        await show(tx, t, [])

    await use.graph.write(redact)
    context = await assembled(tenant, where)
    assert "zirkonvogel" not in str(context.request) and "[redacted]" in str(context.request)
    shelved = [
        m.text
        for one in use.assemble_context.chooser.shelves._shelves.items()
        if one[0][0] == tenant.caller.tenant_id
        for m in one[1].messages
    ]
    assert shelved and not any("zirkonvogel" in text for text in shelved)
