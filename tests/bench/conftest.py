"""A service under test, on the shared database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_service import live_service

from bench.harness import Running
from service.embedded import Database


@pytest.fixture(scope="session")
def running(neo4j_server: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service over HTTP."""
    with live_service(neo4j_server, tmp_path_factory.mktemp("service")) as served:
        yield served
