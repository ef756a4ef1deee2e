"""`runtime-graph log` from the outside: in the database, and from a file without it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from agent_platform import asked
from notary import Notary
from typer.testing import CliRunner

from service.cli import main
from service.embedded import Database
from service.usecases.manage_signing_key import load_signer, public_pem, rotate_key

COMMAND = (sys.executable, "-c", "from service.cli import main; main()", "log")
CANARY = "canary-words"
Ended = tuple[int | None, str, str]
Run = Callable[..., Awaitable[Ended]]


@pytest.fixture
def run(notary: Notary, neo4j_server: Database) -> Run:
    """Run a command on the tests' database with the notary's keys and file: exit code, stdout, stderr."""
    environment = os.environ | {
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.user,
        "NEO4J_PASSWORD": neo4j_server.password,
        "RUNTIME_GRAPH_KEYS_FOLDER": str(notary.keys),
        "RUNTIME_GRAPH_TREE_HEADS_FILE": str(notary.kept.path),
    }

    async def command(*arguments: str) -> Ended:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *arguments, env=environment, stdout=PIPE, stderr=PIPE
        )
        printed, problems = await process.communicate()
        return process.returncode, printed.decode(), problems.decode()

    return command


def offline(*arguments: str | Path) -> tuple[int, str]:
    """Run a command that needs no database: exit code and output."""
    ended = CliRunner().invoke(main, ["log", *map(str, arguments)])
    return ended.exit_code, ended.output


async def test_a_log_is_verified_exported_and_verified_again_without_the_database(
    notary: Notary, run: Run, tmp_path: Path
) -> None:
    await notary.platform.recorded(asked("canary", CANARY))
    await notary.sign()
    sound = "nothing was rewritten in 15 events on 4 branches, "
    sound += "held against 6 signed tree heads, 6 of them kept outside"
    assert await run("verify", "--tenant", notary.name) == (0, f"tenant {notary.name}: {sound}\n", "")

    file, bare = tmp_path / "log.jsonl", tmp_path / "bare.jsonl"
    assert await run("export", "--tenant", notary.name, "--output", str(file)) == (
        0,
        f"15 events in {file}\n",
        "",
    )
    assert (await run("export", "--tenant", notary.name, "--output", str(bare), "--no-payloads"))[0] == 0
    assert (await run("export", "--tenant", notary.name, "--output", str(bare)))[0] == 2
    assert CANARY in file.read_text("utf-8") and CANARY not in bare.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600

    code, pem, _ = await run("public-key")
    keys = tmp_path / "public.pem"
    keys.write_text(pem)
    outside = ("--public-key", keys, "--heads", notary.kept.path)
    assert offline("verify", "--export", file, *outside) == (0, f"{file}: {sound}\n")
    code, printed = offline("verify", "--export", bare, *outside)
    assert (code, printed.splitlines()[0]) == (0, "The export has no payloads: contents are not verified.")

    lines = file.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if CANARY.encode() in line)
    event = json.loads(lines[at])
    damaged = {
        "a payload": [*lines[:at], lines[at].replace(b"canary-words", b"canary-w0rds"), *lines[at + 1 :]],
        "an envelope": [
            *lines[:at],
            lines[at].replace(b'"kind":"message"', b'"kind":"massage"'),
            *lines[at + 1 :],
        ],
        "no event": [*lines[:at], b"[1]\n", *lines[at + 1 :]],
        "dropped": [*lines[:at], *lines[at + 1 :]],
    }
    for name, changed in damaged.items():
        file.write_bytes(b"".join(changed))
        code, printed = offline("verify", "--export", file, *outside)
        assert (code, f"branch {event['branch_uid']}, seq {event['seq']}: " in printed) == (1, True), name
        assert "words" not in printed and "w0rds" not in printed


async def test_a_fault_in_the_database_is_exit_code_1_with_its_position_and_no_content(
    notary: Notary, run: Run
) -> None:
    await notary.platform.recorded(asked("canary", CANARY))
    change = (
        "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) "
        "MATCH (e:Event {branch_ref: b.branch_ref, seq: 12}) "
        "MATCH (e)-[:HAS_PAYLOAD]->(p) SET p.body = p.body + ' ' RETURN b.uid AS uid"
    )

    async def work(tx: object) -> str:
        return (await (await tx.run(change, {"t": notary.platform.tenant_id})).single())["uid"]  # type: ignore[attr-defined]

    uid, _ = await notary.graph.write(work)
    code, printed, _ = await run("verify", "--tenant", notary.name)
    said = "the payload is not the one that was committed to"
    assert (code, printed) == (1, f"tenant {notary.name}: branch {uid}, seq 12: {said}\n")
    assert (await run("verify", "--tenant", "nobody"))[0] == 1


async def test_an_export_needs_keys_that_are_trusted_and_heads_of_its_tenant(
    notary: Notary, untouched: Notary, run: Run, tmp_path: Path
) -> None:
    file, keys = tmp_path / "log.jsonl", tmp_path / "public.pem"
    await run("export", "--tenant", notary.name, "--output", str(file))
    assert offline("verify", "--export", file)[0] == 2
    keys.write_text("no key")
    assert offline("verify", "--export", file, "--public-key", keys)[0] == 2

    keys.write_text(public_pem(untouched.keys))
    code, printed = offline("verify", "--export", file, "--public-key", keys)
    assert (code, "not what was signed by a trusted key" in printed) == (1, True)

    keys.write_text(public_pem(notary.keys))
    code, printed = offline("verify", "--export", file, "--public-key", keys)
    assert (code, "rewritten as a whole would not be noticed" in printed) == (0, True)
    for heads in (untouched.kept.path, tmp_path / "none"):
        assert offline("verify", "--export", file, "--public-key", keys, "--heads", heads)[0] == 1

    file.write_text("")
    assert offline("verify", "--export", file, "--public-key", keys) == (1, "the file is empty.\n")
    file.write_text('{"type":"header"}\n')
    assert offline("verify", "--export", file, "--public-key", keys)[0] == 1


async def test_the_key_is_rotated_and_both_public_keys_are_shown(notary: Notary, run: Run) -> None:
    old = load_signer(notary.keys)
    code, printed, _ = await run("rotate-key")
    new = load_signer(notary.keys)
    assert (code, printed) == (0, f"Tree heads are signed with key {new.key_id} from now on.\n")
    assert (await run("public-key"))[1] == old.public_pem() + new.public_pem()
    assert rotate_key(notary.keys).key_id not in (old.key_id, new.key_id)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("verify", "--heads"),
        ("verify", "Exit code 1"),
        ("export", "--no-payloads"),
        ("public-key", "PEM"),
        ("rotate-key", "auditors"),
    ],
)
def test_the_help_teaches(command: str, word: str) -> None:
    code, printed = offline(command, "--help")
    assert (code, word in printed) == (0, True)
