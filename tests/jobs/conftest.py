"""A migrated database, three replicas of whatever runs jobs, and a tenant with forks of forks."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import pytest
from agent_platform import OPENING, Platform, answered, asked, called, forked
from served import ADMIN_KEY, Rows, blobs, graph, rows, serve

from jobs.job import Deps
from service.clock import FixedClock, SystemClock
from service.embedded import Database
from service.graph.driver import Graph
from service.settings import Settings
from service.storage.blobs import Blobs

__all__ = ["Rows", "blobs", "graph", "rows"]

REPLICAS = 3


@pytest.fixture
def deps(graph: Graph) -> Deps:
    """What jobs work with, at noon."""
    return Deps(graph, FixedClock(datetime(2026, 3, 1, 12, tzinfo=UTC)), Settings())


@pytest.fixture
async def replicas(neo4j_server: Database, graph: Graph) -> AsyncIterator[list[Deps]]:
    """Processes that may run jobs, each with a connection of its own and the machine's clock."""
    async with AsyncExitStack() as stack:
        yield [
            Deps(
                await stack.enter_async_context(
                    Graph(neo4j_server.uri, neo4j_server.user, neo4j_server.password, neo4j_server.name)
                ),
                SystemClock(),
                Settings(),
            )
            for _ in range(REPLICAS)
        ]


@pytest.fixture
async def tenant_id(graph: Graph, blobs: Blobs) -> str:
    """A tenant whose conversation was forked three times: from main, from that fork, and from main again."""
    async with serve(graph, blobs) as http:
        operator = Platform(http, ADMIN_KEY, "")
        made = await operator.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})
        platform = Platform(http, made.json()["api_key"], made.json()["tenant_id"])
        await platform.recorded(
            *OPENING, asked("m1", "Which flight?"), called("c1"), answered("c1", {"a": 1})
        )
        await platform.recorded(forked("child", at_seq=5), asked("m2", "That one."), forked("late"))
        await platform.recorded(asked("m3", "No, another."), branch="child")
        await platform.recorded(forked("grandchild", at_seq=6, parent="child"))
    return platform.tenant_id
