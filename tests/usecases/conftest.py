"""The use cases themselves, without HTTP, on the shared Neo4j."""

from __future__ import annotations

import secrets

import pytest
from served import ADMIN_KEY, Rows, blobs, graph, rows
from wired_tenant import PROVIDERS, STARTED_AT, Tenant, Tenants

from service.clock import FixedClock
from service.graph.driver import Graph
from service.storage.blobs import Blobs
from service.wiring import wire

__all__ = ["Rows", "blobs", "graph", "rows"]


def wired(graph: Graph, blobs: Blobs) -> Tenants:
    """Tenants on demand; all have one clock."""
    clock = FixedClock(STARTED_AT)
    return Tenants(wire(graph, blobs, secrets.token_bytes(32), ADMIN_KEY, clock), clock)


@pytest.fixture(scope="session")
def tenants(graph: Graph, blobs: Blobs) -> Tenants:
    """For tests that need a tenant for each of their examples."""
    return wired(graph, blobs)


@pytest.fixture(scope="session")
async def tenant(graph: Graph, blobs: Blobs) -> Tenant:
    """One tenant with a clock of its own and five provider routes."""
    made = await wired(graph, blobs).new()
    await made.configure(PROVIDERS)
    return made
