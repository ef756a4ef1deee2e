"""`runtime-graph jobs` from the outside."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from jobs.catalogue import JOBS
from service.embedded import Database
from service.graph.driver import Graph
from service.ids import new_uid

Start = Callable[..., Awaitable[Process]]
COMMAND = (sys.executable, "-c", "from service.cli import main; main()", "jobs")
WAIT_S = 60
FAULTY = """
CREATE (:Tenant {tenant_id: $t, uid: $t, name: $t})
CREATE (:ToolCall {tenant_id: $t, uid: $t, call_id: $t})
"""


@pytest.fixture
def start(graph: Graph, neo4j_server: Database, tmp_path: Path) -> Start:
    """Start a command on the tests' migrated database; a year of records is kept, for other tests."""
    environment = os.environ | {
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.user,
        "NEO4J_PASSWORD": neo4j_server.password,
        "RUNTIME_GRAPH_DATA_FOLDER": str(tmp_path),
        "RUNTIME_GRAPH_IDEMPOTENCY_RETENTION_DAYS": "365",
    }

    async def command(*arguments: str, **more: str) -> Process:
        return await asyncio.create_subprocess_exec(
            *COMMAND, *arguments, env=environment | more, stdout=PIPE, stderr=PIPE
        )

    return command


async def ended(process: Process) -> tuple[int | None, str, str]:
    """Exit code and what was printed on stdout and stderr."""
    printed, problems = await process.communicate()
    return process.returncode, printed.decode(), problems.decode()


async def test_a_check_that_finds_a_fault_ends_with_code_1_and_is_listed_so(
    start: Start, graph: Graph
) -> None:
    faulty = new_uid()
    await graph.write(lambda tx: tx.run(FAULTY, {"t": faulty}))
    code, printed, _ = await ended(await start("run", "check_invariants"))
    assert code == 1
    assert printed.startswith("check_invariants: not sound, tenants ")
    assert '"tool_call_without_one_artifact": ' in printed
    assert faulty not in printed

    code, listed, _ = await ended(await start("list"))
    assert code == 0
    assert [name for name in JOBS if f"{name}: " not in listed] == []
    assert "due by cron 30 3 * * *; newest run 20" in listed


async def test_a_dry_run_says_what_would_be_done(start: Start) -> None:
    code, printed, _ = await ended(await start("run", "sweep_idempotency_records", "--dry-run"))
    assert code == 0
    assert printed.startswith("sweep_idempotency_records: sound, old ")


async def test_an_unknown_job_is_refused_with_those_that_there_are(start: Start) -> None:
    code, _, problems = await ended(await start("run", "nothing"))
    assert code == 2
    assert "check_invariants" in problems


async def test_the_scheduler_shows_its_metrics_and_stops_cleanly(start: Start) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await start("start", RUNTIME_GRAPH_JOBS_METRICS_PORT=str(port))
    assert process.stdout is not None
    async with asyncio.timeout(WAIT_S):
        first = await process.stdout.readline()
        async with httpx.AsyncClient() as client:
            metrics = await client.get(f"http://127.0.0.1:{port}/metrics")
        process.send_signal(signal.SIGTERM)
        code, printed, problems = await ended(process)
    assert first.decode() == f"Running {len(JOBS)} jobs by their schedule. Ctrl-C stops it.\n"
    assert "# TYPE runtime_graph_job_runs_total counter" in metrics.text
    assert (code, printed) == (0, "Stopped.\n"), problems
