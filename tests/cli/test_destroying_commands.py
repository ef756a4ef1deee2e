"""`runtime-graph retention`, `tenant` and `privacy scan` from the outside."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from agent_platform import OPENING, answered, asked, called, ran
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from live_service import live_service
from typer.testing import CliRunner

from bench.harness import Running
from service.cli import main
from service.embedded import open_database
from service.settings import Settings
from service.usecases.manage_signing_key import load_signer

ACME = "acme-that-leaves"
SAID = f"the seat by the window {secrets.token_hex(12)}"
LARGE = secrets.token_hex(40_000)
Command = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Running]:
    """A service on a database of its own: who carries out a ledger is held to it from then on."""
    settings = Settings(data_folder=folder)
    with open_database(settings) as database, live_service(database, folder) as served:
        yield served


@pytest.fixture(scope="module")
def key(running: Running) -> str:
    """That of a tenant of which little is known."""
    made = httpx.post(f"{running.url}/v1/tenants", json={"name": ACME}, headers=_bearer(running.admin_key))
    key: str = made.raise_for_status().json()["api_key"]
    events = [*OPENING, asked("m", SAID), ran("r"), called("c1"), answered("c1", {"large": LARGE})]
    batch = {"conversation_id": "c", "events": events}
    httpx.post(f"{running.url}/v1/events", json=batch, headers=_bearer(key)).raise_for_status()
    return key


@pytest.fixture
def command(running: Running, folder: Path, key: str) -> Command:
    environment = {
        "RUNTIME_GRAPH_KEY": key,
        "RUNTIME_GRAPH_URL": running.url,
        "RUNTIME_GRAPH_DATA_FOLDER": str(folder),
        "NEO4J_URI": running.database_uri,
        "NEO4J_USERNAME": running.database_user,
        "NEO4J_PASSWORD": running.database_password,
        "COLUMNS": "200",
    }

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, arguments, env=environment)
        return result.exit_code, result.output

    return run


def test_an_operator_searches_everything_that_is_kept_for_words(command: Command, tmp_path: Path) -> None:
    sought = tmp_path / "needles.txt"
    sought.write_text(f"\n{SAID}\n{LARGE[:60]}\n{SAID}\n", "utf-8")
    code, output = command("privacy", "scan", "--needles", str(sought))
    assert code == 1
    assert "found in graph: Message.text" in output and "(line 2)" in output
    assert "found in blobs: " in output and "(line 3)" in output
    assert SAID not in output and "line 4" not in output
    sought.write_text(secrets.token_hex(20), "utf-8")
    code, output = command("privacy", "scan", "--needles", str(sought))
    assert (code, output.splitlines()[-1]) == (0, "found nothing")
    told = dict(re.findall(r"^(\S+): searched (\d+ \S+)$", output, re.MULTILINE))
    assert told["blobs"] == "1 blobs" and {"graph", "data/keys", "data/blobs"} <= told.keys()


def test_an_operator_sees_what_is_due_and_lets_a_tenant_leave(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    code, output = command("retention", "preview")
    assert code == 0 and "Message (time_limited): no rule, kept" in output
    code, output = command("retention", "run", "--tenant", ACME, "--dry-run")
    assert (code, output) == (0, "Nothing is due.\n")
    assert command("retention", "run", "--tenant", ACME)[0] == 0
    code, plan = command("tenant", "offboard", ACME)
    assert code == 0 and "Message: 1" in plan
    [digest] = re.findall("--digest ([0-9a-f]{64})", plan)
    code, output = command("tenant", "offboard", ACME, "--digest", "0" * 64)
    assert code == 1 and "plan again" in output
    receipt, public = tmp_path / "receipt.json", tmp_path / "public.pem"
    code, output = command("tenant", "offboard", ACME, "--digest", digest, "--receipt", str(receipt))
    assert code == 0, output
    public.write_bytes(_public_pem(folder / "keys"))
    ledger = str(folder / "keys" / "ledger.jsonl")
    code, output = command("receipt", "verify", str(receipt), "--public-key", str(public), "--ledger", ledger)
    assert code == 0 and output.startswith("offboarding ")
    assert command("tenant", "offboard", ACME)[0] == 1, "there is no such tenant"
    assert command("tenant", "resume") == (0, "0 tenants have left.\n")


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _public_pem(keys: Path) -> bytes:

    public = load_signer(keys).key.public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
