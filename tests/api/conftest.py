"""The whole service over the shared Neo4j, a fresh tenant per test, and a neighbour whom nothing may
touch."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from agent_platform import OPENING, TRIP, NewPlatform, Platform, answered, asked, called, ran, replied
from served import ADMIN_KEY, Rows, blobs, graph, rows, serve

from service.graph.driver import Graph
from service.graph.inspection import broken_invariants
from service.storage.blobs import Blobs

__all__ = ["Rows", "blobs", "graph", "rows"]


@pytest.fixture(scope="session")
async def http(graph: Graph, blobs: Blobs) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service, without a key."""
    async with serve(graph, blobs) as client:
        yield client


@pytest.fixture(scope="session")
def settled(http: httpx.AsyncClient) -> Callable[[], Awaitable[None]]:
    """Waits until the service has learned from everything that was recorded."""
    app = http._transport.app  # type: ignore[attr-defined]
    return app.state.services.learning.settled


@pytest.fixture(scope="session")
def operator(http: httpx.AsyncClient) -> Platform:
    """Who makes tenants and keys; holds the operator's key and no tenant."""
    return Platform(http, ADMIN_KEY, "")


@pytest.fixture(scope="session")
def new_platform(operator: Platform) -> NewPlatform:
    """Makes a tenant and its client."""

    async def new() -> Platform:
        made = await operator.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})
        assert made.status_code == 201, made.text
        return Platform(operator.http, made.json()["api_key"], made.json()["tenant_id"])

    return new


@pytest.fixture
async def platform(new_platform: NewPlatform, graph: Graph) -> AsyncIterator[Platform]:
    """A fresh tenant; when the test ends its graph still keeps every rule."""
    made = await new_platform()
    yield made
    assert await broken_invariants(graph, made.tenant_id) == {}


@pytest.fixture(scope="session")
async def neighbour(new_platform: NewPlatform, settled: Callable[[], Awaitable[None]]) -> Platform:
    """Another tenant, with a conversation under the very ids that tests use. No test writes to it."""
    made = await new_platform()
    await made.recorded(
        *OPENING,
        asked("m1", "Which flight did I book?"),
        ran("r1"),
        called("c1", {"key": "flight"}),
        answered("c1", {"flight_id": "HAT022", "seat": "12A"}),
        replied("m2", "HAT022, seat 12A.", run_id="r1"),
        called("c2"),
    )
    await made.recorded({"kind": "fork", "branch_id": "aside"}, at=TRIP)
    await settled()
    return made


@pytest.fixture(scope="session")
async def of_neighbour(neighbour: Platform, rows: Rows) -> AsyncIterator[list[str]]:
    """The ids of the neighbour's nodes; when all tests have run there are no others."""
    query = "MATCH (n) WHERE n.tenant_id = $t RETURN elementId(n) AS id"
    before = [row["id"] for row in await rows(query, t=neighbour.tenant_id)]
    assert len(before) > 20
    yield before
    assert {row["id"] for row in await rows(query, t=neighbour.tenant_id)} == set(before)


@pytest.fixture(autouse=True)
async def neighbour_stays_untouched(of_neighbour: list[str], rows: Rows) -> AsyncIterator[None]:
    """Whatever a test does, the other tenant's nodes and their edges are the same afterwards."""
    query = (
        "MATCH (n) WHERE elementId(n) IN $ids "
        "RETURN labels(n) AS labels, properties(n) AS properties, COUNT { (n)--() } AS edges "
        "ORDER BY elementId(n)"
    )
    before = await rows(query, ids=of_neighbour)
    yield
    assert await rows(query, ids=of_neighbour) == before
