"""What every test may use.

Async tests and fixtures are plain `async def`: anyio's pytest plugin runs them (`anyio_mode = "auto"` in
pyproject.toml), always on asyncio. It comes with starlette, lets a fixture of any scope share its loop with
the tests, and needs no marker. There is one database for all tests: each keeps to a fresh tenant of its own.
"""

from __future__ import annotations

import os

import hypothesis
import pytest
from neo4j_on_demand import Neo4jOnDemand, demand_neo4j

from service.embedded import Database

# A busy machine is no fault of the code: no test is judged by a clock.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")

_on_demand = pytest.StashKey[Neo4jOnDemand]()


# Most of a Neo4j's short life in the tests would else be spent in Java's optimising compiler.
JVM_FLAGS = "-XX:TieredStopAtLevel=1"


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("JAVA_TOOL_OPTIONS", JVM_FLAGS)
    if not hasattr(config, "workerinput"):
        config.stash[_on_demand] = Neo4jOnDemand()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What searches the whole database again and again comes first, while there is little in it."""
    items.sort(key=lambda item: "privacy" not in item.path.parts)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _on_demand in config.stash:
        config.stash[_on_demand].close()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def neo4j_server() -> Database:
    """A real Neo4j, shared by all workers: `uri`, `user`, `password`, `name`."""
    return demand_neo4j()
