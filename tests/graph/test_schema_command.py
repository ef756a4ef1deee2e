"""`runtime-graph schema` from the outside."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from subprocess import PIPE

import pytest

from service.embedded import Database
from service.graph.driver import Graph, Transaction
from service.ids import new_uid

Run = Callable[..., Awaitable[tuple[int, str]]]
COMMAND = (sys.executable, "-c", "from service.cli import main; main()", "schema")
FAULTY = """
CREATE (:Tenant {tenant_id: $t, uid: $t, name: $t})
CREATE (:ToolCall {tenant_id: $t, uid: $t, call_id: $t})
"""


@pytest.fixture
def run(graph: Graph, neo4j_server: Database) -> Run:
    """Run a command on the tests' migrated database; its exit code and what it printed."""
    environment = os.environ | {
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.user,
        "NEO4J_PASSWORD": neo4j_server.password,
    }

    async def command(*arguments: str) -> tuple[int, str]:
        process = await asyncio.create_subprocess_exec(*COMMAND, *arguments, env=environment, stdout=PIPE)
        printed, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, printed.decode()

    return command


async def test_a_migrated_database_has_nothing_to_do(run: Run) -> None:
    assert await run("migrate") == (0, "nothing to apply\n")
    code, printed = await run("status")
    assert code == 0
    assert printed.startswith("1 initial: applied ")


async def test_check_names_the_tenant_the_rule_and_the_rows(run: Run, graph: Graph) -> None:
    faulty = new_uid()
    await graph.write(lambda tx: tx.run(FAULTY, {"t": faulty}))
    code, printed = await run("check", "--tenant", faulty)
    assert code == 1
    assert f"tenant {faulty}: tool_call_without_one_artifact\n  call_uid={faulty} artifacts=0\n" in printed


async def test_check_is_content_with_a_sound_tenant(run: Run, graph: Graph, recorded: str) -> None:
    async def name(tx: Transaction) -> str:
        found = await tx.run("MATCH (t:Tenant {tenant_id: $t}) RETURN t.name AS name", {"t": recorded})
        return str((await found.single(strict=True))["name"])

    code, printed = await run("check", "--tenant", await graph.read(name))
    assert (code, printed) == (0, "every rule holds for 1 tenant\n")


async def test_check_of_an_unknown_tenant_fails(run: Run) -> None:
    assert await run("check", "--tenant", new_uid()) == (1, "")


async def test_generated_documents_are_current(run: Run) -> None:
    assert await run("docs", "--check") == (0, "")
