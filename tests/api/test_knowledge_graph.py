"""What a tenant's users ask becomes knowledge: beside the answer, without personal data, and once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    asked,
    called,
    human,
    opened,
    problem,
    ran,
    replied,
    section,
    shown,
)
from served import Rows

from service.clock import SystemClock
from service.graph.driver import Graph
from service.usecases.configure_tenant import Configurations
from service.usecases.draw_insights import DrawInsights

Settled = Callable[[], Awaitable[None]]
Drawing = Callable[[str], Awaitable[int]]
CRUISE = {"title": "Fjord Cruise", "aliases": ["the fjord trip"]}
SMALL = {"insights_min_nodes": 3, "insight_users_min": 2}
POPULAR = """
MATCH (i:Insight {tenant_id: $t, insight_kind: 'popular_product'})
RETURN i.uid AS uid, i.asker_count AS askers
"""
NODES = """
MATCH (n:Query|Response|Product|Document {tenant_id: $t})
RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label
"""
SEARCHES = """
MATCH (:Query {tenant_id: $t})-[e:SEARCHED_FOR]->(p:Product) RETURN p.uid AS uid, e.initial_weight AS weight
"""
EDGES_MADE = """
MATCH ({tenant_id: $t})-[e:BOOKED|VIEWED|SIMILAR_TO|PRICED_AGAINST]->() RETURN type(e) AS type
"""
LOCK_QUERIES = "MATCH (q:Query {tenant_id: $t}) SET q.text = q.text"


def edge(relationship: str, start: Json, end: Json) -> Json:
    return {"relationship": relationship, "start": start, "end": end}


@pytest.fixture
def insights_drawn(graph: Graph) -> Drawing:
    """Draws a tenant's insights now, as the job does."""
    clock = SystemClock()
    return DrawInsights(graph, clock, Configurations(graph, clock))


async def configured(platform: Platform, knowledge: Json, after: int = 0) -> None:
    """Switch a configuration on that differs in these settings."""
    await platform.configured({"knowledge": knowledge}, after)


async def test_a_question_its_answer_and_what_they_name_are_learned_after_the_answer(
    platform: Platform, settled: Settled
) -> None:
    await kept(platform, "products/p1", CRUISE)
    await kept(platform, "documents/d1", {"title": "Baggage rules"})
    await platform.recorded(
        *OPENING,
        asked("m1", "Is the FJORD-TRIP sold out? Mail me: mia@example.org"),
        ran("r1"),
        called("c1", tool="find_trips", run_id="r1"),
        replied("m2", "No. See our baggage rules, page 2.", run_id="r1"),
    )
    await settled()
    question = await learned(platform, "m1")
    assert question["responses"] == [] and not question["waiting"]
    [query] = question["queries"]
    assert query["text"] == "Is the FJORD-TRIP sold out? Mail me: [email]"
    assert {(e["relationship"], e["label"], e["title"]) for e in query["edges"]} == {
        ("SEARCHED_FOR", "Product", "Fjord Cruise"),
        ("ANSWERED_BY", "Response", None),
    }
    assert [e["weight"] for e in query["edges"]] == [pytest.approx(1, abs=0.01)] * 2
    answer = await learned(platform, "m2")
    [response] = answer["responses"]
    assert (response["text"], answer["queries"]) == ("No. See our baggage rules, page 2.", [])
    assert {(e["relationship"], e["title"]) for e in response["edges"]} == {
        ("CITED", "Baggage rules"),
        ("USED_TOOL", "find_trips"),
    }


async def kept(platform: Platform, path: str, body: Json) -> Json:
    response = await platform.send("PUT", f"/v1/knowledge/{path}", body)
    assert response.status_code == 200, response.text
    return response.json()


async def learned(platform: Platform, message_id: str) -> Json:
    response = await platform.send("GET", f"/v1/messages/{message_id}/learned")
    assert response.status_code == 200, response.text
    return response.json()


async def say(platform: Platform, number: int, user: str, question: str, answer: str = "Let me see.") -> str:
    """One exchange in a conversation of its own; the answer's id."""
    at = f"talk-{number}"
    await platform.recorded(
        opened(user_id=f"u-{user}"),
        human(user),
        agent(),
        asked(f"q{number}", question, by=user),
        ran(f"r{number}"),
        replied(f"a{number}", answer, run_id=f"r{number}"),
        at=at,
    )
    return f"a{number}"


async def rate(platform: Platform, message_id: str, rating: str, user: str = "mia") -> Json:
    body = {"message_id": message_id, "user_id": f"u-{user}", "rating": rating}
    response = await platform.send("POST", "/v1/feedback", body)
    assert response.status_code == 200, response.text
    return response.json()


async def weight_of(platform: Platform, message_id: str) -> float:
    [query] = (await learned(platform, message_id))["queries"]
    [weight] = [e["weight"] for e in query["edges"] if e["relationship"] == "ANSWERED_BY"]
    return float(weight)


async def test_the_same_question_is_one_query_whoever_asks_it(
    platform: Platform, settled: Settled, rows: Rows
) -> None:
    await kept(platform, "products/p1", CRUISE)
    for number, question in enumerate(("Fjord cruise?", "FJORD cruise!", "  fjord   cruise ")):
        await say(platform, number, f"user{number}", question)
    await settled()
    nodes = await rows(NODES, t=platform.tenant_id)
    assert {row["label"]: row["n"] for row in nodes} == {"Product": 1, "Query": 1, "Response": 3}
    [edge] = await rows(
        "MATCH (:Query {tenant_id: $t})-[e:SEARCHED_FOR]->() RETURN e.initial_weight AS weight",
        t=platform.tenant_id,
    )
    assert edge == {"weight": 3.0}


async def test_an_insight_counts_who_asks_later_and_stays_the_same_node(
    platform: Platform, settled: Settled, insights_drawn: Drawing, rows: Rows
) -> None:
    await kept(platform, "products/p1", CRUISE)
    await configured(platform, SMALL)
    drawn = []
    for number in range(3):
        await say(platform, number, f"user{number}", "Does the fjord trip start at 10:00?")
        await settled()
        await insights_drawn(platform.tenant_id)
        drawn.append({row["uid"]: row["askers"] for row in await rows(POPULAR, t=platform.tenant_id)})
    [uid] = drawn[-1]
    assert drawn == [{}, {uid: 2}, {uid: 3}]


async def test_an_append_is_answered_while_learning_has_to_wait(
    platform: Platform, settled: Settled, graph: Graph
) -> None:
    await say(platform, 1, "mia", "Fjord cruise?")
    await settled()
    answered, locked = asyncio.Event(), asyncio.Event()

    async def hold(tx: Any) -> None:
        await (await tx.run(LOCK_QUERIES, t=platform.tenant_id)).consume()
        locked.set()
        await answered.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(graph.write(hold))
        await locked.wait()
        await say(platform, 2, "bo", "Fjord cruise?")
        assert (await learned(platform, "a2"))["waiting"] is True
        answered.set()
    await settled()
    assert (await learned(platform, "a2"))["waiting"] is False


async def test_a_thumb_up_strengthens_and_a_thumb_down_weakens_once_for_each_user(
    platform: Platform, settled: Settled
) -> None:
    answer = await say(platform, 1, "mia", "Is breakfast included?")
    await settled()
    before = await weight_of(platform, "q1")
    assert await rate(platform, answer, "up") == {"ups": 1, "downs": 0, "learned": True}
    assert await rate(platform, answer, "up") == {"ups": 1, "downs": 0, "learned": True}
    assert await weight_of(platform, "q1") == pytest.approx(2 * before, rel=1e-3)
    assert await rate(platform, answer, "down") == {"ups": 0, "downs": 1, "learned": True}
    assert await weight_of(platform, "q1") == pytest.approx(before / 2, rel=1e-3)
    await rate(platform, answer, "down", user="bo")
    assert await weight_of(platform, "q1") == pytest.approx(before / 4, rel=1e-3)


async def test_feedback_names_an_answer_of_the_tenant(platform: Platform, neighbour: Platform) -> None:
    await say(platform, 1, "mia", "Is breakfast included?")
    for message_id in ("none", "m2"):
        body = {"message_id": message_id, "user_id": "u", "rating": "up"}
        told = problem(await platform.send("POST", "/v1/feedback", body), 422, "unknown_reference")
        assert told["location"] == "message_id"
    body = {"message_id": "q1", "user_id": "u", "rating": "up"}
    [error] = problem(await platform.send("POST", "/v1/feedback", body), 422, "invalid_request")["errors"]
    assert error == {"location": "message_id", "problem": "is not an assistant's message"}


@pytest.mark.parametrize(
    ("question", "answer", "run"),
    [
        ({"visibility": "participant"}, {}, {}),
        ({}, {"visibility": "audit"}, {}),
        ({"privacy_class": "sensitive"}, {}, {}),
        ({}, {"privacy_class": "secret"}, {}),
        ({}, {}, {"run_status": "failed"}),
        ({"by": "agent2"}, {}, {}),
    ],
    ids=["private", "audit", "sensitive", "secret", "failed run", "asked by an agent"],
)
async def test_what_is_private_sensitive_or_nobodys_question_is_not_learned(
    platform: Platform, settled: Settled, rows: Rows, question: Json, answer: Json, run: Json
) -> None:
    await platform.recorded(
        *OPENING,
        agent("agent2"),
        asked("m1", "What about my illness?", **question),
        ran("r1", **run),
        replied("m2", "Take a rest.", run_id="r1", **answer),
    )
    await settled()
    assert await rows(NODES, t=platform.tenant_id) == []
    assert await learned(platform, "m2") == {
        "message_id": "m2",
        "waiting": False,
        "queries": [],
        "responses": [],
    }


async def test_a_tenant_that_learns_only_what_is_internal_learns_nothing_of_people(
    platform: Platform, settled: Settled, rows: Rows
) -> None:
    await configured(platform, {"privacy_class_max": "internal"})
    await say(platform, 1, "mia", "Is breakfast included?")
    await settled()
    assert await rows(NODES, t=platform.tenant_id) == []


async def test_what_a_context_showed_is_not_learned_again(
    platform: Platform, settled: Settled, rows: Rows
) -> None:
    await kept(platform, "products/p1", CRUISE)
    await kept(platform, "products/p2", {"title": "Old Town Walk"})
    await configured(platform, SMALL)
    for number in range(2):
        await say(platform, number, f"user{number}", "Fjord cruise?")
    await settled()
    before = await rows(SEARCHES, t=platform.tenant_id)
    shown_block = "<data-123456789012345>\nAsked: Old Town Walk\n</data-123456789012345>"
    await say(
        platform, 7, "mia", f"{shown_block}\n  Fjord cruise?", "People often ask about the Old Town Walk."
    )
    await say(platform, 8, "mia", shown_block, "Old Town Walk is asked about.")
    await settled()
    assert [row["uid"] for row in before] == [r["uid"] for r in await rows(SEARCHES, t=platform.tenant_id)]
    [query] = await rows("MATCH (q:Query {tenant_id: $t}) RETURN q.text AS text", t=platform.tenant_id)
    assert query == {"text": "Fjord cruise?"}


async def test_insights_need_enough_nodes_and_enough_users_and_are_fenced_and_scrubbed(
    platform: Platform, settled: Settled, insights_drawn: Drawing
) -> None:
    await kept(platform, "products/p1", CRUISE)
    await configured(platform, SMALL)
    answers = [
        await say(platform, number, f"user{number}", "Is the sauna open? My number is +49 151 23456789")
        for number in range(2)
    ]
    for number in (2, 3):
        await say(platform, number, f"user{number}", "Does the fjord trip start at 10:00?")
    await say(platform, 4, "user4", "Who asks this alone?")
    await settled()
    for answer in (*answers, "a4"):
        await rate(platform, answer, "down")
    await insights_drawn(platform.tenant_id)
    context = await platform.assembled(4000, at="talk-4")
    told = section(context, "insights")
    assert told["authoritative"] is False and told["role"] == "user"
    assert "often asked about: Fjord Cruise" in told["text"]
    assert "asked without a good answer: Is the sauna open? My number is [phone]" in told["text"]
    assert "alone" not in told["text"] and "23456789" not in shown(context)
    assert [item["kind"] for item in told["items"]] == ["insight", "insight"]
    explained = await platform.explained(context["assembly_id"])
    assert "insights" in str(explained["sections"])
    replay = await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert replay.json()["same"] is True, replay.text

    await configured(platform, {**SMALL, "insight_users_min": 3}, after=1)
    strict = await platform.assembled(4000, at="talk-4")
    assert section(strict, "insights")["items"] == []
    assert {"asked_by_too_few"} <= {one["reason"] for one in strict["omissions"]}
    await configured(platform, {**SMALL, "insights_min_nodes": 1000}, after=2)
    small = await platform.assembled(4000, at="talk-4")
    assert {"knowledge_too_small"} <= {one["reason"] for one in small["omissions"]}
    await insights_drawn(platform.tenant_id)
    assert section(await platform.assembled(4000, at="talk-4"), "insights")["items"] == []


async def test_things_of_the_platform_are_kept_once_and_their_edges_too(
    platform: Platform, rows: Rows
) -> None:
    first = await kept(platform, "products/p1", CRUISE)
    assert await kept(platform, "products/p1", CRUISE) == first
    await kept(platform, "products/p2", {"title": "Old Town Walk"})
    await kept(platform, "bookings/b1", {"title": "HB 17", "user_id": "u-mia", "value": {"seats": 2}})
    await kept(platform, "competitor-prices/c1", {"title": "Other Cruise", "value": {"eur": 90}})
    edges = [
        edge("BOOKED", {"user_id": "u-mia"}, {"product_id": "p1"}),
        edge("BOOKED", {"booking_id": "b1"}, {"product_id": "p1"}),
        edge("VIEWED", {"user_id": "u-new"}, {"product_id": "p2"}),
        edge("SIMILAR_TO", {"product_id": "p1"}, {"product_id": "p2"}),
        edge("PRICED_AGAINST", {"product_id": "p1"}, {"competitor_price_id": "c1"}),
    ]
    for _ in range(2):
        response = await platform.send("PUT", "/v1/knowledge/edges", {"edges": edges})
        assert response.json() == {"edges": 5}, response.text
    made = await rows(EDGES_MADE, t=platform.tenant_id)
    assert sorted(row["type"] for row in made) == sorted(one["relationship"] for one in edges)


@pytest.mark.parametrize(
    ("sent", "code", "location"),
    [
        (
            edge("VIEWED", {"user_id": "u"}, {"product_id": "none"}),
            "unknown_reference",
            "edges[0].end.product_id",
        ),
        (edge("VIEWED", {"product_id": "p1"}, {"product_id": "p1"}), "invalid_request", "edges[0].start"),
        (edge("VIEWED", {}, {"product_id": "p1"}), "invalid_request", "edges[0].start"),
        (
            edge("ANSWERED_BY", {"user_id": "u"}, {"product_id": "p1"}),
            "invalid_request",
            "edges[0].relationship",
        ),
    ],
)
async def test_an_edge_between_the_wrong_ends_is_refused_by_its_field(
    platform: Platform, rows: Rows, sent: Json, code: str, location: str
) -> None:
    await kept(platform, "products/p1", CRUISE)
    told = problem(await platform.send("PUT", "/v1/knowledge/edges", {"edges": [sent]}), 422, code)
    assert location in (told.get("location"), *(one["location"] for one in told.get("errors", ())))
    assert await rows(EDGES_MADE, t=platform.tenant_id) == []


async def test_twenty_parallel_upserts_make_one_node_and_no_double_edge(
    platform: Platform, rows: Rows
) -> None:
    await asyncio.gather(
        *(kept(platform, f"products/p{n % 2}", {**CRUISE, "title": f"T{n % 2}"}) for n in range(20))
    )
    one = edge("SIMILAR_TO", {"product_id": "p0"}, {"product_id": "p1"})
    other = edge("SIMILAR_TO", {"product_id": "p1"}, {"product_id": "p0"})
    bodies = [{"edges": [one, other] if n % 2 else [other, one]} for n in range(20)]
    sent = [platform.send("PUT", "/v1/knowledge/edges", body) for body in bodies]
    assert {response.status_code for response in await asyncio.gather(*sent)} == {200}
    assert await rows(NODES, t=platform.tenant_id) == [{"label": "Product", "n": 2}]
    assert len(await rows(EDGES_MADE, t=platform.tenant_id)) == 2
    names = await rows(
        "MATCH (k:EntityName {tenant_id: $t})-[r:NAMES]->() RETURN k.name_key AS k", t=platform.tenant_id
    )
    assert sorted(row["k"] for row in names) == ["t0", "t1", "the fjord trip", "the fjord trip"]
