"""A tenant with forks of forks on the shared Neo4j, and what signs and verifies its log."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import httpx
import pytest
from agent_platform import OPENING, Platform, answered, asked, called, forked
from notary import NewNotary, Notary
from served import ADMIN_KEY, Rows, blobs, graph, rows, serve

from service.graph.driver import Graph
from service.log.kept_heads import KeptHeads
from service.storage.blobs import Blobs

__all__ = ["Rows", "blobs", "graph", "rows"]


@pytest.fixture(scope="session")
async def http(graph: Graph, blobs: Blobs) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service, without a key."""
    async with serve(graph, blobs) as client:
        yield client


@pytest.fixture(scope="session")
def new_notary(http: httpx.AsyncClient, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> NewNotary:
    """Makes a tenant with a log of five branches, signed twice, and its notary."""

    async def new() -> Notary:
        name = f"tenant-{secrets.token_hex(8)}"
        operator = Platform(http, ADMIN_KEY, "")
        made = (await operator.send("POST", "/v1/tenants", {"name": name})).json()
        platform = Platform(http, made["api_key"], made["tenant_id"])
        folder = tmp_path_factory.mktemp("notary")
        notary = Notary(graph, platform, name, folder / "keys", KeptHeads(folder / "heads.jsonl"))
        await platform.recorded(
            *OPENING, asked("m1", "Which flight?"), called("c1"), answered("c1", {"a": 1})
        )
        await platform.recorded(forked("child", at_seq=5), forked("empty", at_seq=3), asked("m2", "That."))
        await platform.recorded(asked("k1", "No, another."), asked("k2", "Thanks."), branch="child")
        await notary.sign()
        await platform.recorded(asked("m3", "And back?"), forked("grandchild", at_seq=6, parent="child"))
        await platform.recorded(asked("g1", "A third."), branch="grandchild")
        await notary.sign()
        return notary

    return new


@pytest.fixture
async def notary(new_notary: NewNotary) -> Notary:
    """A fresh tenant with a signed log."""
    return await new_notary()


@pytest.fixture(scope="session")
async def untouched(new_notary: NewNotary) -> Notary:
    """One for all tests that leave it as it was."""
    return await new_notary()
