"""The use cases themselves, without HTTP, on the shared Neo4j."""

from __future__ import annotations

import secrets

import pytest
from served import ADMIN_KEY, Rows, blobs, graph, rows
from wired_tenant import PROVIDERS, STARTED_AT, Tenant

from service.clock import FixedClock
from service.graph.driver import Graph
from service.model.configuration import TenantConfiguration
from service.storage.blobs import Blobs
from service.wiring import wire

__all__ = ["Rows", "blobs", "graph", "rows"]


@pytest.fixture(scope="session")
async def tenant(graph: Graph, blobs: Blobs) -> Tenant:
    """One tenant for all conversations of the session, with five provider routes."""
    clock = FixedClock(STARTED_AT)
    use = wire(graph, blobs, secrets.token_bytes(32), ADMIN_KEY, clock)
    made = await use.keys.create_tenant(f"tenant-{secrets.token_hex(8)}")
    caller = await use.keys.recognise(made.api_key)
    number = await use.configurations.create(caller, TenantConfiguration(providers=PROVIDERS), None)
    await use.configurations.activate(caller, number, 0)
    return Tenant(use, caller, clock)
