"""Every property of everything in the graph is searched, by code that knows nothing of erasing."""

from __future__ import annotations

import ast
import secrets
from pathlib import Path
from typing import Any

import pytest
from agent_platform import Platform, agent, answered, asked, called, human, opened, ran, remembered
from served import Rows

from service.graph.absence import NODES_PER_PAGE, Walked, all_nodes
from service.graph.driver import Graph
from service.graph.query import CYPHER_FOLDER, query
from service.usecases import absence
from service.usecases.absence.findings import Findings, tell_apart
from service.usecases.absence.needles import Needles, NoNeedleError
from service.usecases.absence.scan_graph import scan_graph, search_node

FIELDS = (
    *("conversation", "title", "seat", "name", "user", "message", "text", "call", "argument", "key"),
    *("result", "error", "memory", "value", "idempotency", "run"),
)


class Canaries(dict[str, str]):
    """One for each field: long and random, with what JSON must escape in those that are no ids."""

    def __init__(self) -> None:
        ids = {"conversation", "seat", "user", "message", "call", "memory", "idempotency", "run"}
        super().__init__({one: secrets.token_hex(16) + ("" if one in ids else 'é"\n') for one in FIELDS})

    @property
    def events(self) -> list[dict[str, Any]]:
        """A conversation with all but the idempotency key in it."""
        user = self["user"]
        return [
            opened(title=self["title"], user_id=user),
            human(self["seat"], user_id=user, display_name=self["name"]),
            agent(),
            asked(self["message"], self["text"], by=self["seat"]),
            ran(self["run"]),
            called(self["call"], {self["key"]: [self["argument"]]}),
            called("failing"),
            answered(self["call"], {"found": self["result"]}),
            {"kind": "tool_result", "call_id": "failing", "call_status": "failed", "error": self["error"]},
            remembered(self["memory"], self["value"], by=self["seat"]),
        ]


@pytest.fixture
async def canaries(platform: Platform) -> Canaries:
    """What was recorded, with a canary in every field that holds a text or an id of the platform's."""
    made = Canaries()
    batch = {"conversation_id": made["conversation"], "events": made.events}
    answer = await platform.send("POST", "/v1/events", batch, Idempotency_Key=made["idempotency"])
    assert answer.status_code == 201, answer.text
    return made


async def test_every_canary_of_every_field_is_found_and_none_is_told(
    platform: Platform, graph: Graph, canaries: Canaries
) -> None:
    needles = Needles.of(texts=canaries.values())
    found = await scan_graph(graph, needles, tenant_id=platform.tenant_id)
    assert [FIELDS[one] for one in found.unseen()] == []
    assert found.incomplete == [] and found.searched["graph"] > 100
    assert {"Payload.body", "Message.text", "ToolArtifact.result"} <= {hit.place for hit in found.hits}
    assert [one for one in canaries.values() if one.strip('é"\n') in repr(found)] == []


async def test_a_neighbour_is_searched_only_when_everybody_is(
    platform: Platform, graph: Graph, canaries: Canaries
) -> None:
    needles = Needles.of(texts=canaries.values())
    assert (await scan_graph(graph, needles, tenant_id="nobody")).absent
    assert (await scan_graph(graph, needles)).unseen() == set()


async def test_a_node_and_a_relationship_that_no_model_names_are_searched_too(graph: Graph) -> None:
    canary = secrets.token_hex(16)

    async def work(tx: Any, text: str) -> None:
        await (await tx.run(text, {"text": canary})).consume()

    make = "CREATE (a:Strange {odd: ['x', $text]})-[:ODD {why: $text}]->({plain: $text})"
    await graph.write(lambda tx: work(tx, make))
    try:
        found = await scan_graph(graph, Needles.of(texts=[canary]), tenant_id="nobody")
    finally:
        await graph.write(
            lambda tx: work(tx, "MATCH (a:Strange {odd: ['x', $text]})-->(b) DETACH DELETE a, b")
        )
    assert sorted(hit.place for hit in found.hits) == [".plain", "ODD.why", "Strange.odd"]


async def test_what_is_there_is_found_though_others_create_and_delete_meanwhile(graph: Graph) -> None:
    tenant_id, canary = secrets.token_hex(16), secrets.token_hex(16)

    async def work(tx: Any, text: str) -> None:
        await (await tx.run(text, {"t": tenant_id, "text": canary})).consume()

    more = f"UNWIND range(1, {2 * NODES_PER_PAGE}) AS n CREATE (:Strange {{tenant_id: $t, n: n}})"
    fewer = "MATCH (a:Strange {tenant_id: $t}) WHERE a.n IS NOT NULL DETACH DELETE a"
    try:
        await graph.write(lambda tx: work(tx, more))
        await graph.write(lambda tx: work(tx, "CREATE (:Strange {tenant_id: $t, odd: $text})"))
        found = Findings(Needles.of(texts=[canary]))
        pages = 0
        async for rows in all_nodes(graph, tenant_id, Walked()):
            for row in rows:
                search_node(found, row, set())
            pages += 1
            if pages == 1:  # what comes now takes the numbers of what goes
                await graph.write(lambda tx: work(tx, fewer))
                await graph.write(lambda tx: work(tx, more))
    finally:
        await graph.write(lambda tx: work(tx, "MATCH (a:Strange {tenant_id: $t}) DETACH DELETE a"))
    assert [hit.place for hit in found.hits] == ["Strange.odd"]


async def test_what_others_hold_too_is_told_apart(
    platform: Platform, graph: Graph, rows: Rows, canaries: Canaries
) -> None:
    shared = secrets.token_hex(16)
    batch = {"conversation_id": "other", "events": [opened(), human(), asked("m-1", f"Say {shared}.")]}
    assert (await platform.send("POST", "/v1/events", batch)).status_code == 201
    needles = Needles.of(texts=[canaries["text"], shared])
    before = await scan_graph(graph, needles, tenant_id=platform.tenant_id)
    texts = await rows("MATCH (m:Message {text: $text}) RETURN m.uid AS uid", text=canaries["text"])
    payloads = [hit.uid for hit in before.hits if hit.needle == 0]
    own = tell_apart(before, {row["uid"] for row in texts} | {uid for uid in payloads if uid})
    assert own == Needles.of(texts=[canaries["text"]])
    with pytest.raises(NoNeedleError):
        tell_apart(before, set())


def test_in_what_is_told_without_a_person_only_names_and_ids_end() -> None:
    needles = Needles.of(ids=["u-mia"], texts=["Is the sauna open?"])
    [name] = needles.ids
    before = Findings(needles)
    for needle in range(len(needles.texts)):
        before.add("graph", "Message.text", "mixed", needle)
    own = tell_apart(before, set(), ["mixed"])
    assert own.texts == (needles.texts[name],)


async def test_an_item_that_names_an_erased_person_is_found_and_an_envelope_is_not(
    platform: Platform, graph: Graph, rows: Rows, canaries: Canaries
) -> None:
    (person,) = await rows("MATCH (u:User {user_id: $id}) RETURN u.uid AS uid", id=canaries["user"])
    needles = Needles.of(texts=["nothing that is anywhere"])
    found = await scan_graph(graph, needles, tenant_id=platform.tenant_id, erased=[person["uid"]])
    labels = {hit.place.partition(".")[0] for hit in found.hits}
    assert "Message" in labels and "Event" not in labels
    assert {hit.needle for hit in found.hits} == {None}


async def test_what_is_a_persons_alone_can_be_left_out(
    platform: Platform, graph: Graph, rows: Rows, canaries: Canaries
) -> None:
    (person,) = await rows("MATCH (u:User {user_id: $id}) RETURN u.uid AS uid", id=canaries["user"])
    common = secrets.token_hex(16)
    told = asked("m-2", common, by=canaries["seat"], subject_ids=[canaries["user"], "u-mia"])
    batch = {"conversation_id": canaries["conversation"], "events": [told]}
    assert (await platform.send("POST", "/v1/events", batch)).status_code == 201
    needles, found = Needles.of(texts=[canaries["text"], common]), []
    for people in ([], [person["uid"]], ["somebody else"]):
        seen = await scan_graph(graph, needles, tenant_id=platform.tenant_id, without=people)
        found.append(sorted((hit.needle, hit.place) for hit in seen.hits))
    everything, others, same = found
    assert others == [hit for hit in everything if hit[0] == 1], "what others have a part in is searched"
    assert everything == same and {place for _, place in everything} >= {"Message.text", "Payload.body"}


async def test_an_erased_event_with_its_payload_and_a_payload_without_its_event_are_found(
    platform: Platform, graph: Graph, canaries: Canaries
) -> None:
    spoil = """MATCH (e:Event {tenant_id: $tenant_id, kind: 'message'}) SET e.erased_by = 'somebody'
    CREATE (:Payload {tenant_id: $tenant_id, event_uid: 'none'})"""

    async def work(tx: Any) -> None:
        await (await tx.run(spoil, {"tenant_id": platform.tenant_id})).consume()

    await graph.write(work)
    found = await scan_graph(graph, Needles.of(texts=["nowhere at all"]), tenant_id=platform.tenant_id)
    assert sorted(hit.place for hit in found.hits) == [
        "Event is erased and has its payload",
        "Payload without its event",
    ]


def test_the_scan_shares_nothing_with_what_erases() -> None:
    """It imports the driver, its own gateway and the model; its queries are its own and only read."""
    allowed = ("service.usecases.absence", "service.graph.absence", "service.graph.driver", "service.model")
    for path in Path(absence.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("service"):
                assert str(node.module).startswith(allowed), (path.name, node.module)
    names = [f"absence/{path.stem}" for path in (CYPHER_FOLDER / "absence").iterdir()]
    assert {query(name).header.access for name in names} == {"read"}
