"""The knowledge graph is worked off, ages and is purged: the same whoever runs it, how often, and whatever
is killed meanwhile.

RUNTIME_GRAPH_SLOW=1 purges 100,000 nodes where the short lane purges 2,000.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import signal
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from agent_platform import Json, Platform, agent, asked, human, opened, ran, replied
from served import ADMIN_KEY, Rows, serve

from jobs import decay_edges, learn_answers, purge_knowledge
from jobs.job import Deps
from jobs.scheduling import due_time
from service.clock import FixedClock, SystemClock
from service.embedded import Database
from service.errors import RuntimeGraphError
from service.graph.driver import Graph
from service.ids import new_uid
from service.policies.decay import FLOOR, decayed
from service.settings import Settings
from service.storage.blobs import Blobs
from service.usecases import decay_edges as deciding
from service.usecases.configure_tenant import Configurations
from service.usecases.decay_edges import DecayEdges
from service.usecases.learn_answers import LearnAnswers
from service.usecases.purge_knowledge import PurgeKnowledge

SLOW = os.environ.get("RUNTIME_GRAPH_SLOW") == "1"
PURGED = 100_000 if SLOW else 2_000
WRITERS = 4
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=400)
TENANT = "CREATE (:Tenant {tenant_id: $t, uid: $t, name: $t})"
MAKE_EDGES = """
UNWIND range(1, $count) AS n
CREATE (q:Query {tenant_id: $t, uid: $t + 'q' + n, text_sha256: 'h' + (10000 + n), text: 'x', asked_at: $at})
CREATE (p:Product {tenant_id: $t, uid: $t + 'p' + n, product_id: 'p' + n, title: 'x'})
CREATE (q)-[:SEARCHED_FOR {initial_weight: toFloat(n), weight: toFloat(n),
                           strengthened_at: $at - duration({hours: n * 7}), recorded_at: $at}]->(p)
"""
WEIGHTS = """
MATCH (:Query {tenant_id: $t})-[e:SEARCHED_FOR]->(p)
RETURN e.initial_weight AS initial, e.weight AS weight, e.strengthened_at AS at, e.weighed_at AS weighed_at
ORDER BY initial
"""
MAKE_OLD = """
UNWIND range($first, $last) AS n
CREATE (q:Query {tenant_id: $t, uid: $t + 'q' + n, text_sha256: 'h' + n, text: 'x', asked_at: $at})
CREATE (r:Response {tenant_id: $t, uid: $t + 'r' + n, message_uid: 'm' + n, text: 'x', recorded_at: $at})
CREATE (q)-[:ANSWERED_BY {initial_weight: 1.0, weight: 1.0, strengthened_at: $at}]->(r)
WITH q
MATCH (p:Product {tenant_id: $t, product_id: 'p'})
CREATE (q)-[:SEARCHED_FOR {initial_weight: 1.0, weight: 1.0, strengthened_at: $at}]->(p)
"""
REFER = """
MATCH (q:Query {uid: $uid})
CREATE (i:Insight {tenant_id: $t, uid: $insight, valid_until: datetime('9999-01-01T00:00:00Z')})
CREATE (i)-[:DERIVED_FROM]->(q)
RETURN q.uid AS uid
"""
ASK_AGAIN = "MATCH (q:Query {uid: $uid}) SET q.asked_at = $now RETURN q.uid AS uid"
LEFT = """
MATCH (q:Query {tenant_id: $t})
RETURN q.uid AS uid, COUNT { (q)<-[:DERIVED_FROM]-(:Insight) } AS insights,
       COUNT { (q)-[:SEARCHED_FOR]->() } AS edges
"""
COUNTS = """
RETURN COUNT { MATCH (:Insight {tenant_id: $t})-[:DERIVED_FROM]->(:Query) } AS insights,
       COUNT { MATCH (:Insight {tenant_id: $t}) } AS drawn,
       COUNT { MATCH (:Response {tenant_id: $t}) } AS responses,
       COUNT { MATCH (:Product {tenant_id: $t}) } AS products
"""
QUEUED = "MATCH (m:Message {tenant_id: $t}) WHERE m.queued_at IS NOT NULL RETURN count(m) AS n"
LEARNED = """
RETURN COUNT { MATCH (:Query {tenant_id: $t}) } AS queries,
       COUNT { MATCH (:Response {tenant_id: $t}) } AS responses,
       COUNT { MATCH (:Query {tenant_id: $t})-[:ANSWERED_BY]->(:Response) } AS edges
"""
COMMAND = (sys.executable, "-c", "from service.cli import main; main()", "jobs", "run", "learn_answers")


async def run(graph: Graph, statement: str, **values: Any) -> list[dict[str, Any]]:
    async def work(tx: Any) -> list[dict[str, Any]]:
        return await (await tx.run(statement, values)).data()

    return (await graph.write(work))[0]


async def aging(graph: Graph, count: int) -> str:
    """A tenant with edges of many ages and weights."""
    tenant_id = new_uid()
    await run(graph, TENANT, t=tenant_id)
    await run(graph, MAKE_EDGES, t=tenant_id, count=count, at=NOON)
    return tenant_id


def expected(row: dict[str, Any], at: datetime) -> float:
    return decayed(row["initial"], row["at"].to_native(), at, 30)


async def test_edges_weigh_the_same_however_often_and_overlapping_and_cut_they_are_decayed(
    deps: Deps, graph: Graph, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "PAGE_ROWS", 7)
    decay = DecayEdges(graph, Configurations(graph, deps.clock))
    at = due_time(decay_edges.SCHEDULE, deps.clock())
    weights: list[list[float]] = []
    for runs in (1, 2, 10):
        tenant_id = await aging(graph, 60)
        for _ in range(runs):
            await decay(tenant_id, at)
        weights.append([row["weight"] for row in await rows(WEIGHTS, t=tenant_id)])
    tenant_id = await aging(graph, 60)
    await asyncio.gather(*(decay(tenant_id, at) for _ in range(4)))
    weights.append([row["weight"] for row in await rows(WEIGHTS, t=tenant_id)])
    tenant_id = await aging(graph, 60)
    with pytest.raises(RuntimeError, match="killed"):
        await DecayEdges(graph, Killed(graph, deps.clock, left=[4]))(tenant_id, at)
    weighed = [row["weighed_at"] for row in await rows(WEIGHTS, t=tenant_id)]
    assert 0 < weighed.count(None) < 60
    await decay(tenant_id, at)
    weights.append([row["weight"] for row in await rows(WEIGHTS, t=tenant_id)])
    stored = await rows(WEIGHTS, t=tenant_id)
    for made in weights:
        assert made == pytest.approx([expected(row, at) for row in stored], abs=1e-12)
    assert min(weights[0]) >= FLOOR


async def test_a_later_day_is_not_undone_by_an_earlier_one_that_goes_on(
    deps: Deps, graph: Graph, rows: Rows
) -> None:
    decay = DecayEdges(graph, Configurations(graph, deps.clock))
    tenant_id = await aging(graph, 10)
    later = NOON + timedelta(days=9)
    assert await decay(tenant_id, later) == 10
    assert await decay(tenant_id, NOON) == 0
    stored = await rows(WEIGHTS, t=tenant_id)
    assert [row["weight"] for row in stored] == pytest.approx(
        [expected(row, later) for row in stored], abs=1e-12
    )


class Killed(Configurations):
    """Configurations of a process that ends after so many pages."""

    def __init__(self, graph: Graph, clock: Any, left: list[int]) -> None:
        super().__init__(graph, clock)
        object.__setattr__(self, "left", left)

    async def active(self, tx: Any, tenant_id: str) -> Any:
        left: list[int] = self.left  # type: ignore[attr-defined]
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError("killed")
        return await super().active(tx, tenant_id)


async def test_what_others_refer_to_while_it_is_purged_stays_with_its_edges(graph: Graph, rows: Rows) -> None:
    tenant_id = new_uid()
    await run(graph, TENANT, t=tenant_id)
    await run(graph, "CREATE (:Product {tenant_id: $t, uid: $t, product_id: 'p', title: 'x'})", t=tenant_id)
    half = PURGED // 2
    for first in range(1, half + 1, 5_000):
        last = min(first + 4_999, half)
        await run(graph, MAKE_OLD, t=tenant_id, first=first, last=last, at=LONG_AGO)
    purge = PurgeKnowledge(graph, FixedClock(NOON), Configurations(graph, FixedClock(NOON)))
    assert await purge(tenant_id, dry_run=True) == {"queries": half, "responses": half, "insights": 0}
    begun, done = asyncio.Event(), asyncio.Event()
    kept: set[str] = set()
    referred: set[str] = set()

    async def refer(seed: int) -> None:
        chance = random.Random(seed)
        while not done.is_set():
            uid = f"{tenant_id}q{chance.randint(1, half)}"
            statement = chance.choice([REFER, ASK_AGAIN])
            values = {"insight": new_uid()} if statement is REFER else {"now": NOON}
            try:
                found = await run(graph, statement, t=tenant_id, uid=uid, **values)
            except RuntimeGraphError:
                continue  # it was being deleted
            (referred if statement is REFER else kept).update(row["uid"] for row in found if row["uid"])
            if referred:
                begun.set()

    async def purging() -> dict[str, int]:
        await begun.wait()  # on a fast machine the purge would be over before anybody refers to anything
        try:
            return await purge(tenant_id)
        finally:
            done.set()

    _, purged, *_ = await asyncio.gather(refer(0), purging(), *(refer(n) for n in range(1, WRITERS)))
    left = {row["uid"]: row for row in await rows(LEFT, t=tenant_id)}
    assert referred and referred | kept <= left.keys()
    assert all(left[uid]["insights"] for uid in referred)
    assert all(row["edges"] == 1 for row in left.values())
    assert purged["queries"] == half - len(left)
    [counts] = await rows(COUNTS, t=tenant_id)
    assert counts["insights"] == counts["drawn"]
    assert (counts["responses"], counts["products"]) == (half - purged["responses"], 1)


async def talked(graph: Graph, blobs: Blobs, talks: int) -> str:
    """A tenant whose answers wait: the service that recorded them ended before it learned."""
    async with serve(graph, blobs) as http:
        operator = Platform(http, ADMIN_KEY, "")
        made = (await operator.send("POST", "/v1/tenants", {"name": f"t-{secrets.token_hex(8)}"})).json()
        app = http._transport.app  # type: ignore[attr-defined]
        await app.state.services.learning.close()
        object.__setattr__(app.state.services, "learning", Deaf())
        platform = Platform(http, made["api_key"], made["tenant_id"])
        for number in range(talks):
            await platform.recorded(*exchange(number), at=f"talk-{number}")
    return platform.tenant_id


class Deaf:
    """Stands where the background learner was killed."""

    async def note(self, tenant_id: str) -> None:
        """Nobody hears it."""

    async def close(self) -> None:
        """It is gone."""


def exchange(number: int) -> list[Json]:
    return [
        opened(user_id=f"u{number}"),
        human("mia", user_id=f"u{number}"),
        agent(),
        asked(f"q{number}", f"Question number {number}?"),
        ran(f"r{number}"),
        replied(f"a{number}", f"Answer {number}.", run_id=f"r{number}"),
    ]


async def test_a_learner_that_is_killed_leaves_nothing_twice_and_nothing_out(
    graph: Graph, blobs: Blobs, rows: Rows, neo4j_server: Database, tmp_path: Any
) -> None:
    talks = 60
    tenant_id = await talked(graph, blobs, talks)
    environment = os.environ | {
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.user,
        "NEO4J_PASSWORD": neo4j_server.password,
        "RUNTIME_GRAPH_DATA_FOLDER": str(tmp_path),
    }
    process = await asyncio.create_subprocess_exec(*COMMAND, env=environment)
    while (await rows(QUEUED, t=tenant_id))[0]["n"] == talks and process.returncode is None:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    learn = LearnAnswers(graph, Configurations(graph, FixedClock(NOON)))
    both = await asyncio.gather(learn(tenant_id), learn(tenant_id))
    assert sum(one.passed for one in both) == 0
    assert await rows(QUEUED, t=tenant_id) == [{"n": 0}]
    assert await rows(LEARNED, t=tenant_id) == [{"queries": talks, "responses": talks, "edges": talks}]


async def test_the_jobs_say_what_they_would_do_and_what_they_did(
    graph: Graph, blobs: Blobs, rows: Rows
) -> None:
    """For one tenant: other tests have theirs at the same time."""
    tenant_id = await talked(graph, blobs, 2)
    assert (await learn_answers.run(Deps(graph, SystemClock(), Settings()), dry_run=True))["sound"]
    await LearnAnswers(graph, Configurations(graph, SystemClock()))(tenant_id)
    later = Deps(graph, FixedClock(SystemClock()() + timedelta(days=200)), Settings())
    one = [tenant_id]
    assert await decay_edges.decay_edges(later, one, True) == {"sound": True, "edges": 2, "insights": 0}
    assert (await decay_edges.decay_edges(later, one, False))["edges"] == 2
    assert (await decay_edges.decay_edges(later, one, False))["edges"] == 0
    would = await purge_knowledge.purge_knowledge(later, one, True)
    assert would == {"sound": True, "queries": 2, "responses": 2, "insights": 0}
    assert await rows(LEARNED, t=tenant_id) == [{"queries": 2, "responses": 2, "edges": 2}]
    assert await purge_knowledge.purge_knowledge(later, one, False) == would
    assert await rows(LEARNED, t=tenant_id) == [{"queries": 0, "responses": 0, "edges": 0}]
