"""Settings come from the environment, default to loopback, and never repeat a secret."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import ValidationError

from service.embedded import open_database
from service.private_files import read_or_make
from service.settings import Settings


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No setting but those of the test, in an empty folder."""
    for name in os.environ:
        if name.startswith(("RUNTIME_GRAPH_", "NEO4J_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield


def test_by_default_everything_is_local_and_data_lies_in_the_current_folder(tmp_path: Path) -> None:
    settings = Settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8480)
    assert settings.neo4j_uri is None
    assert settings.neo4j_home == tmp_path / ".runtime-graph" / "neo4j"
    assert settings.keys == tmp_path / ".runtime-graph" / "keys"
    assert settings.blob_url == f"file://{tmp_path}/.runtime-graph/blobs"
    assert settings.jar_cache == Path.home() / ".cache" / "runtime-graph" / "jars"


def test_the_cache_follows_xdg_and_its_own_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert Settings().jar_cache == tmp_path / "xdg" / "runtime-graph" / "jars"
    monkeypatch.setenv("RUNTIME_GRAPH_CACHE", str(tmp_path / "own"))
    assert Settings().jar_cache == tmp_path / "own" / "jars"


def test_a_set_neo4j_uri_is_the_database_and_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://example.databases.test")
    monkeypatch.setenv("NEO4J_USERNAME", "writer")
    monkeypatch.setenv("NEO4J_PASSWORD", "correct horse")
    monkeypatch.setenv("NEO4J_DATABASE", "graph")
    with open_database(Settings()) as database:
        assert (database.uri, database.user) == ("neo4j+s://example.databases.test", "writer")
        assert (database.password, database.name) == ("correct horse", "graph")
        assert database.server is None
        assert "correct horse" not in repr(database) + repr(Settings())


def test_an_empty_neo4j_uri_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "")
    assert Settings().neo4j_uri is None


@pytest.mark.parametrize(
    ("uri", "password", "problem"),
    [("http://host:7474", "hunter2", "must begin with"), ("bolt://host", "", "NEO4J_PASSWORD must be set")],
)
def test_a_fault_is_told_without_what_was_set(
    monkeypatch: pytest.MonkeyPatch, uri: str, password: str, problem: str
) -> None:
    monkeypatch.setenv("NEO4J_URI", uri)
    monkeypatch.setenv("NEO4J_PASSWORD", password)
    with pytest.raises(ValidationError, match=problem) as caught:
        Settings()
    assert "hunter2" not in str(caught.value)


def test_every_setting_says_what_it_is_for() -> None:
    undescribed = [name for name, field in Settings.model_fields.items() if not field.description]
    assert undescribed == []


def test_the_server_secret_is_made_once_and_is_its_owners_alone() -> None:
    settings = Settings()
    secret = settings.server_secret()
    assert len(secret) == 32
    assert Settings().server_secret() == secret
    file = settings.keys / "server.secret"
    assert file.stat().st_mode & 0o777 == 0o600
    assert settings.keys.stat().st_mode & 0o777 == 0o700


def test_askers_that_come_at_once_get_one_secret(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "one"
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda n: read_or_make(path, lambda: bytes([n])), range(8)))
    assert len(made) == 1
    assert list(path.parent.iterdir()) == [path]
