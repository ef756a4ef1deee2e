"""The whole service with a person to be erased, Mia, and another one, Ben, whom nothing may touch."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import pytest
from agent_platform import NewPlatform, Platform
from served import ADMIN_KEY, Rows, blobs, graph, rows, serve

from service.graph.driver import Graph
from service.graph.inspection import broken_invariants
from service.storage.blobs import Blobs

__all__ = ["Rows", "blobs", "graph", "rows"]


@pytest.fixture(scope="session")
async def new_platform(graph: Graph, blobs: Blobs) -> AsyncIterator[NewPlatform]:
    """Makes a tenant and its client."""
    async with serve(graph, blobs) as http:
        operator = Platform(http, ADMIN_KEY, "")

        async def new() -> Platform:
            made = await operator.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})
            assert made.status_code == 201, made.text
            return Platform(http, made.json()["api_key"], made.json()["tenant_id"])

        yield new


@pytest.fixture
async def platform(new_platform: NewPlatform, graph: Graph) -> AsyncIterator[Platform]:
    """A fresh tenant; when the test ends its graph still keeps every rule."""
    made = await new_platform()
    yield made
    assert await broken_invariants(graph, made.tenant_id) == {}
