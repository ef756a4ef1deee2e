"""`runtime-graph costs` from the outside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from agent_platform import OPENING, ran
from live_service import live_service, make_tenant
from typer.testing import CliRunner

from bench.harness import Running
from service.cli import main
from service.embedded import Database


@pytest.fixture(scope="module")
def running(neo4j_server: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service on the tests' database."""
    folder: Path = tmp_path_factory.mktemp("service")
    with live_service(neo4j_server, folder) as served:
        yield served


def costs(running: Running, key: str, *arguments: str) -> tuple[int, str]:
    environment = {"RUNTIME_GRAPH_KEY": key, "RUNTIME_GRAPH_URL": running.url, "COLUMNS": "200"}
    result = CliRunner().invoke(main, ["costs", *arguments], env=environment)
    return result.exit_code, result.output


def test_every_group_is_shown_as_a_row_or_as_a_line_of_json(running: Running) -> None:
    _, key = make_tenant(running)
    for at in ("one", "two"):
        batch = {"conversation_id": at, "events": [*OPENING, ran(f"r-{at}", output_tokens=1_234)]}
        headers = {"Authorization": f"Bearer {key}"}
        httpx.post(f"{running.url}/v1/events", json=batch, headers=headers).raise_for_status()
    code, output = costs(running, key, "--group-by", "conversation", "--since", "2026-01-01", "--json")
    assert code == 0
    groups = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert [(one["name"], one["output_tokens"]) for one in groups] == [("one", 1_234), ("two", 1_234)]
    code, output = costs(running, key, "--group-by", "agent")
    assert code == 0 and "agent" in output and "2,468" in output


def test_without_a_key_it_says_what_is_missing(running: Running) -> None:
    code, output = costs(running, "")
    assert code == 2 and "--key" in output
