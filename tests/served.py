"""Fixtures of the whole service over the shared Neo4j; a conftest imports those that its tests use."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from service.api.app import create_app
from service.api.services import Services
from service.clock import Clock, SystemClock
from service.embedded import Database
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.custody import Custody
from service.wiring import wire

ADMIN_KEY = "rgadmin_" + secrets.token_hex(16)
Rows = Callable[..., Awaitable[list[dict[str, Any]]]]


@pytest.fixture(scope="session")
async def graph(neo4j_server: Database) -> AsyncIterator[Graph]:
    """The database, migrated."""
    async with Graph(
        neo4j_server.uri, neo4j_server.user, neo4j_server.password, neo4j_server.name
    ) as connected:
        await migrate(connected, SystemClock())
        yield connected


@pytest.fixture(scope="session")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Blobs:
    """The blob store of the session's service."""
    keys = DataKeys(tmp_path_factory.mktemp("keys") / "data-keys")
    return Blobs.at(tmp_path_factory.mktemp("blobs").as_uri(), keys)


@pytest.fixture(scope="session")
def rows(graph: Graph) -> Rows:
    """Looks into the database: `await rows("MATCH … RETURN …", name=value)`."""

    async def read(cypher: str, **params: Any) -> list[dict[str, Any]]:
        async def work(tx: Any) -> list[dict[str, Any]]:
            return await (await tx.run(cypher, params)).data()

        return await graph.read(work)

    return read


@asynccontextmanager
async def serve(
    graph: Graph, blobs: Blobs, clock: Clock | None = None, custody: Custody | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service, without a key. Failures of the service come as answers, not as exceptions."""

    @asynccontextmanager
    async def open_services() -> AsyncIterator[Services]:
        yield wire(graph, blobs, secrets.token_bytes(32), ADMIN_KEY, clock, custody=custody)

    app = create_app(open_services)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://service", timeout=60) as client,
    ):
        yield client
