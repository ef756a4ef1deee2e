"""Homes, caches and repositories of jars."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from maven_repository import Repository, serving, small_jars

from service.embedded import EmbeddedNeo4j
from service.embedded.jars import Jar
from service.settings import Settings


@pytest.fixture
def jars() -> tuple[Jar, ...]:
    return small_jars()[0]


@pytest.fixture
def repository() -> Iterator[Repository]:
    """Serves the jars of `jars`."""
    with serving(small_jars()[1]) as repository:
        yield repository


@pytest.fixture(scope="session")
def jar_cache() -> Path:
    return Settings().jar_cache


@pytest.fixture(scope="session")
def settled_home(tmp_path_factory: pytest.TempPathFactory, jar_cache: Path) -> Path:
    """The folder of a database that was started and stopped once: the slow first start, once a worker."""
    home = tmp_path_factory.mktemp("settled") / "neo4j"
    with EmbeddedNeo4j(home, cache=jar_cache):
        pass
    return home


@pytest.fixture
def home(settled_home: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copytree(settled_home, tmp_path / "neo4j"))


@pytest.fixture
def described(jar_cache: Path) -> Callable[[Path], EmbeddedNeo4j]:
    """An embedded Neo4j on a home, not started."""
    return lambda home: EmbeddedNeo4j(home, cache=jar_cache)
