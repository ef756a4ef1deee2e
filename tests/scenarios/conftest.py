"""The service over HTTP with a clock that a story moves, on the shared Neo4j."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from agent_platform import Platform
from served import ADMIN_KEY, Rows, graph, rows, serve
from theatre import Theatre

from service.clock import FixedClock
from service.graph.driver import Graph
from service.graph.inspection import broken_invariants
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys

__all__ = ["Rows", "graph", "rows"]


@pytest.fixture(scope="session")
async def theatre(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Theatre]:
    """One service for all stories."""
    clock = FixedClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    store = tmp_path_factory.mktemp("story-blobs")
    keys = DataKeys(tmp_path_factory.mktemp("story-keys") / "data-keys")
    async with serve(graph, Blobs.at(store.as_uri(), keys), clock) as http:
        yield Theatre(http, clock, store)


@pytest.fixture
async def platform(theatre: Theatre, graph: Graph) -> AsyncIterator[Platform]:
    """A fresh tenant; when its story ends, its graph keeps every rule."""
    operator = Platform(theatre.http, ADMIN_KEY, "")
    made = await operator.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})
    assert made.status_code == 201, made.text
    yield Platform(theatre.http, made.json()["api_key"], made.json()["tenant_id"])
    assert await broken_invariants(graph, made.json()["tenant_id"]) == {}
