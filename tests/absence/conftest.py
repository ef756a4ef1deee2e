"""The service over the shared Neo4j, and a tenant whose conversation has a canary in every field of text."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import httpx
import pytest
from agent_platform import Platform
from served import ADMIN_KEY, Rows, blobs, graph, rows, serve

from service.graph.driver import Graph
from service.storage.blobs import Blobs

__all__ = ["Rows", "blobs", "graph", "rows"]


@pytest.fixture(scope="session")
async def http(graph: Graph, blobs: Blobs) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service, without a key."""
    async with serve(graph, blobs) as client:
        yield client


@pytest.fixture
async def platform(http: httpx.AsyncClient) -> Platform:
    """A fresh tenant."""
    headers = {"Authorization": f"Bearer {ADMIN_KEY}"}
    made = await http.post("/v1/tenants", json={"name": f"t-{secrets.token_hex(8)}"}, headers=headers)
    assert made.status_code == 201, made.text
    return Platform(http, made.json()["api_key"], made.json()["tenant_id"])
