"""docker-compose.yml describes the same system; no engine is here to run it, so its promises are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.embedded.home import CONF

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("neo4j", "service", "jobs")
OF_ONE_MACHINE = (
    "server.default_listen_address",
    "server.https.enabled",
    "server.http_enabled_modules",
    "dbms.security.auth_enabled",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period",
)
"""What the image brings, or what nothing but a start and a stop beside a person's other work needs."""
SECRET_NAME = re.compile(r"password|auth|secret|key|token", re.IGNORECASE)
FROM_ENVIRONMENT = re.compile(r"(neo4j/)?\$\{[A-Z0-9_]+:\?[^}]+\}")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))


def test_it_has_the_database_the_service_and_the_jobs(compose: dict[str, Any]) -> None:
    assert tuple(compose["services"]) == SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_each_part_has_a_health_check_with_bounded_tries(compose: dict[str, Any], name: str) -> None:
    check = compose["services"][name]["healthcheck"]
    assert check["test"][0] == "CMD"
    assert {"interval", "timeout", "retries"} <= check.keys()


def test_each_part_waits_until_the_one_below_is_healthy(compose: dict[str, Any]) -> None:
    below = {name: part.get("depends_on", {}) for name, part in compose["services"].items()}
    assert below == {
        "neo4j": {},
        "service": {"neo4j": {"condition": "service_healthy"}},
        "jobs": {"service": {"condition": "service_healthy"}},
    }


def test_every_published_port_is_bound_to_loopback(compose: dict[str, Any]) -> None:
    ports = [port for part in compose["services"].values() for port in part.get("ports", [])]
    assert len(ports) == 3
    assert all(re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port) for port in ports)


def test_its_database_is_set_up_as_the_embedded_one_is(compose: dict[str, Any]) -> None:
    environment = compose["services"]["neo4j"]["environment"]
    told = {
        name.removeprefix("NEO4J_").replace("__", "-").replace("_", ".").replace("-", "_"): value.lower()
        for name, value in environment.items()
        if name not in ("NEO4J_AUTH", "NEO4J_server_memory_heap_max__size")
    }
    assert told == {name: value for name, value in CONF.items() if name not in OF_ONE_MACHINE}


def test_no_secret_is_inline_and_a_missing_one_stops_the_start(compose: dict[str, Any]) -> None:
    secrets = [
        value
        for part in compose["services"].values()
        for name, value in part["environment"].items()
        if SECRET_NAME.search(name)
    ]
    assert len(secrets) == 5, "the database's password three times, the operator's key twice"
    assert all(FROM_ENVIRONMENT.fullmatch(value) for value in secrets)


def test_the_image_is_made_from_the_hashed_lock_and_runs_as_nobody_special() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "--require-hashes --requirement requirements.txt" in lines
    assert re.search(r"^USER (?!root)", lines, re.MULTILINE)


def test_what_was_recorded_here_never_enters_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    allowed = {line for line in lines if line.startswith("!")}
    assert "*" in lines
    assert allowed.isdisjoint({"!.runtime-graph/", "!.env", "!.git/", "!.venv/"})
