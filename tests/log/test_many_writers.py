"""Many writers on one branch: no gap, no acknowledgement that is lost, and one order, whatever the clock
says.

RUNTIME_GRAPH_SLOW=1 runs the full size: 64 writers, 10,000 appends.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
from agent_platform import OPENING, Platform, asked
from notary import CLOCK, Notary
from served import ADMIN_KEY, Rows, serve

from service.graph.driver import Graph
from service.storage.blobs import Blobs

SLOW = bool(os.environ.get("RUNTIME_GRAPH_SLOW"))
WRITERS = 64 if SLOW else 16
APPENDS = 10_000 if SLOW else 640
ATTEMPTS_MAX = 50
EVENTS = (
    "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) MATCH (e:Event {branch_ref: b.branch_ref}) "
    "MATCH (e)-[:HAS_PAYLOAD]->(p) "
    "RETURN e.seq AS seq, e.uid AS uid, e.at AS at, p.body AS body ORDER BY e.seq"
)


async def test_many_writers_leave_no_gap_and_lose_no_acknowledgement(notary: Notary, rows: Rows) -> None:
    platform = notary.platform
    before = 11
    acknowledged: dict[int, str] = {}

    async def write(writer: int) -> None:
        for number in range(writer, APPENDS, WRITERS):
            key = f"w{number}"
            for _ in range(ATTEMPTS_MAX):
                response = await platform.record(asked(key, "Hello"), idempotency_key=key)
                if response.status_code not in (503, 504):
                    break
            assert response.status_code == 201, response.text
            [event] = response.json()["events"]
            assert event["seq"] not in acknowledged
            acknowledged[event["seq"]] = event["uid"]

    await asyncio.gather(*(write(writer) for writer in range(WRITERS)))
    assert sorted(acknowledged) == list(range(before + 1, before + APPENDS + 1))
    stored = await rows(EVENTS, t=platform.tenant_id)
    assert {row["seq"]: row["uid"] for row in stored if row["seq"] > before} == acknowledged
    assert (await notary.sign()).refused == ()
    verdict = await notary.verdict()
    assert (verdict.faults, verdict.events) == ((), 14 + APPENDS)


@pytest.fixture
async def standing(graph: Graph, blobs: Blobs, notary: Notary) -> AsyncIterator[Platform]:
    """The tenant's service with a clock that stands still."""
    async with serve(graph, blobs, CLOCK) as http:
        made = await http.post(
            "/v1/tenants",
            json={"name": f"standing-{notary.name}"},
            headers={"Authorization": f"Bearer {ADMIN_KEY}"},
        )
        yield Platform(http, made.json()["api_key"], made.json()["tenant_id"])


async def test_a_thousand_events_of_one_moment_keep_their_order(standing: Platform, rows: Rows) -> None:
    await standing.recorded(*OPENING)
    sent = [f"s{number}" for number in range(1000)]
    for start in range(0, 1000, 50):
        await standing.recorded(*(asked(name, name) for name in sent[start : start + 50]))
    stored = await rows(EVENTS, t=standing.tenant_id)
    assert len({row["at"] for row in stored}) == 1
    assert [row["seq"] for row in stored] == list(range(1, 1004))
    assert [name for name, row in zip(sent, stored[3:], strict=True) if f'"{name}"' not in row["body"]] == []
