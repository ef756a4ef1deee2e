"""A service over HTTP on the shared database, for tests that come from outside as a client does."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from bench.harness import Running
from service.embedded import Database
from service.graph.driver import Graph
from service.graph.inspection import broken_invariants
from service.main import serving
from service.settings import Settings


@contextmanager
def live_service(database: Database, folder: Path) -> Iterator[Running]:
    """Serve on a free port while the block runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    admin_key = secrets.token_urlsafe(24)
    settings = Settings(data_folder=folder, port=port, admin_key=SecretStr(admin_key))
    with serving(settings, database) as url:
        yield Running(url, admin_key, database.uri, database.user, database.password)


def make_tenant(running: Running) -> tuple[str, str]:
    """A fresh tenant: its id and its key."""
    made = httpx.post(
        f"{running.url}/v1/tenants",
        json={"name": f"tenant-{secrets.token_hex(8)}"},
        headers={"Authorization": f"Bearer {running.admin_key}"},
    )
    answer = made.raise_for_status().json()
    return answer["tenant_id"], answer["api_key"]


def rules_broken(running: Running, tenant_id: str) -> dict[str, Any]:
    """The invariants that a tenant's data breaks; empty when all is well."""

    async def look() -> dict[str, Any]:
        async with Graph(running.database_uri, running.database_user, running.database_password) as graph:
            return await broken_invariants(graph, tenant_id)

    return asyncio.run(look())
