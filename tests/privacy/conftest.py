"""The whole service with what carries people's rights out: keys, a ledger, and two officers."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from agent_platform import Platform
from officers import Office, cut_small
from served import ADMIN_KEY, Rows, graph, rows, serve

from service.graph.driver import Graph
from service.graph.inspection import broken_invariants
from service.log.ledger import Ledger
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.custody import Custody

__all__ = ["Rows", "graph", "rows"]


@pytest.fixture(scope="session")
def custody(tmp_path_factory: pytest.TempPathFactory) -> Custody:
    """Keys, ledger and blobs; without access to the database's files, whose pruning takes its time."""
    return custody_in(tmp_path_factory.mktemp("custody"))


def custody_in(folder: Path) -> Custody:
    """Everything below one folder, under a mark of its own."""
    keys = DataKeys(folder / "data-keys")
    ledger = folder / "ledger.jsonl"
    blobs = Blobs.at((folder / "blobs").as_uri(), keys)
    mark = f"ledger-{secrets.token_hex(8)}"
    return Custody(blobs, keys, Ledger(ledger), folder, None, {"ledger": ledger}, mark)


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


async def new_office(http: httpx.AsyncClient, custody: Custody) -> Office:
    """A tenant with two keys."""
    operator = Platform(http, ADMIN_KEY, "")
    name = f"tenant-{secrets.token_hex(8)}"
    made = await operator.send("POST", "/v1/tenants", {"name": name})
    assert made.status_code == 201, made.text
    first = Platform(http, made.json()["api_key"], made.json()["tenant_id"])
    more = await operator.send("POST", f"/v1/tenants/{name}/keys")
    assert more.status_code == 201, more.text
    app = http._transport.app  # type: ignore[attr-defined]
    services = app.state.services
    carrying_out = services.privacy.carrying_out
    carrying_out.tenant_ids = {
        first.tenant_id,
        *(carrying_out.tenant_ids or ()),
    }  # other workers have other keys
    second = replace(first, key=more.json()["api_key"])
    return Office(first, second, services.privacy, custody, services.learning)


@pytest.fixture
def seqs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many seqs a stretch has."""
    cut_small(monkeypatch, request.param)
    return int(request.param)
