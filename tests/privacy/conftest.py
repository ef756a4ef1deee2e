"""The whole service with what carries people's rights out: keys, a ledger, and two officers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from officers import Office, custody_in, cut_small, new_office
from served import Rows, graph, rows, serve

from service.graph.driver import Graph
from service.graph.inspection import broken_invariants
from service.usecases.erasure.custody import Custody

__all__ = ["Rows", "graph", "rows"]


@pytest.fixture(scope="session")
def custody(tmp_path_factory: pytest.TempPathFactory) -> Custody:
    """Keys, ledger and blobs; without access to the database's files, whose pruning takes its time."""
    return custody_in(tmp_path_factory.mktemp("custody"))


@pytest.fixture(scope="session")
async def http(graph: Graph, custody: Custody) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service, without a key."""
    async with serve(graph, custody.blobs, custody=custody) as client:
        yield client


@pytest.fixture
async def office(http: httpx.AsyncClient, graph: Graph, custody: Custody) -> AsyncIterator[Office]:
    """A fresh tenant with two officers; when the test ends its graph still keeps every rule."""
    made = await new_office(http, custody)
    yield made
    assert await broken_invariants(graph, made.platform.tenant_id) == {}


@pytest.fixture
async def stranger(http: httpx.AsyncClient, custody: Custody) -> Office:
    """The officers of another tenant."""
    return await new_office(http, custody)


@pytest.fixture
def seqs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many seqs a stretch has."""
    cut_small(monkeypatch, request.param)
    return int(request.param)
