"""Small recordings of each format, and a place to write bad ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from live_service import live_service

from bench.harness import Running
from service.embedded import Database

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def fixture() -> Callable[[str], Path]:
    """The path of a recording by its name."""
    return FIXTURES.joinpath


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes a file for one test."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "recording.jsonl"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="session")
def running(neo4j_server: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service over HTTP."""
    with live_service(neo4j_server, tmp_path_factory.mktemp("service")) as served:
        yield served
