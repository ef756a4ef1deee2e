"""The use cases themselves, without HTTP, on the shared Neo4j."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from served import ADMIN_KEY, Rows, blobs, graph, rows

from service.api.services import Services
from service.clock import FixedClock
from service.graph.driver import Graph
from service.model.caller import Caller
from service.model.configuration import DEFAULT_PROVIDERS, ProviderRoute, TenantConfiguration
from service.storage.blobs import Blobs
from service.wiring import wire

__all__ = ["Rows", "blobs", "graph", "rows"]

STARTED_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROVIDERS = {
    **DEFAULT_PROVIDERS,
    "zdr": ProviderRoute(trains_on_data=False, zero_data_retention=True),
    "hobby": ProviderRoute(),
}


@dataclass(frozen=True)
class Tenant:
    """The use cases, a tenant of their own, and their clock."""

    use: Services
    caller: Caller
    clock: FixedClock


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
