"""What every benchmark stands on: a database and a service of its own, fresh tenants, bounded concurrency."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import httpx
import structlog
import typer
from pydantic import SecretStr
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from service.clock import Clock
from service.embedded import Database, embedded_neo4j
from service.main import serving
from service.settings import Settings

START_TIMEOUT_S = 180.0
STOP_GRACE_S = 15.0
POLL_S = 0.05
REQUEST_TIMEOUT_S = 60.0
LOG_TAIL_LINES = 15
ATTEMPTS_MAX = 3
WORTH_ANOTHER_ATTEMPT = (503, 504)
"""Nothing was written, or the outcome is unknown: a batch that is sent again is applied once."""

Item = TypeVar("Item")
Result = TypeVar("Result")

console = Console(highlight=False)
progress_console = Console(stderr=True, highlight=False)


class ServiceDidNotStartError(Exception):
    """The service under test ended or stayed silent; the message has the end of its log."""


class RefusedError(Exception):
    """The service refused a request that a benchmark needs; `problem` is its problem document."""

    def __init__(self, path: str, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{path} answered {status} {problem.get('code')}: {problem.get('detail')}")
        self.code = problem.get("code")
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Running:
    """A service under test, and the way around it to its database."""

    url: str
    admin_key: str
    database_uri: str
    database_user: str
    database_password: str


@dataclass(frozen=True, slots=True)
class Tenant:
    """A client of one tenant that nobody else uses."""

    tenant_id: str
    client: httpx.AsyncClient

    async def post(self, path: str, body: str | dict[str, Any], token: str | None = None) -> dict[str, Any]:
        """Send, again where the service asks for it, and answer the JSON of a 201. Raises `RefusedError`."""
        headers = {"Content-Type": "application/json"} | ({"Consistency-Token": token} if token else {})
        content = body if isinstance(body, str) else json.dumps(body)
        for _ in range(ATTEMPTS_MAX):
            response = await self.client.post(path, content=content, headers=headers)
            if response.status_code not in WORTH_ANOTHER_ATTEMPT:
                break
        if response.status_code != httpx.codes.CREATED:
            raise RefusedError(path, response.status_code, _json(response))
        answer: dict[str, Any] = response.json()
        return answer


@contextmanager
def running_service() -> Iterator[Running]:
    """A fresh embedded Neo4j and a service on it, in a temporary folder, for the length of the block."""
    with tempfile.TemporaryDirectory(prefix="runtime-graph-bench-") as folder:
        bolt_port, http_port, port = _free_ports(3)
        settings = Settings(data_folder=Path(folder), bolt_port=bolt_port, http_port=http_port)
        starting = progress_console.status("Starting Neo4j and the service …")
        starting.start()
        with ExitStack() as stack:
            stack.callback(starting.stop)
            database = stack.enter_context(embedded_neo4j(settings))
            running = Running(
                url=f"http://127.0.0.1:{port}",
                admin_key=secrets.token_urlsafe(24),
                database_uri=database.uri,
                database_user=database.username,
                database_password=database.password,
            )
            stack.enter_context(_service(running, port, Path(folder)))
            starting.stop()
            yield running


@contextmanager
def running_service_at(clock: Clock) -> Iterator[Running]:
    """As `running_service`, but by a given clock and within this process, whose log is cut to warnings."""
    with tempfile.TemporaryDirectory(prefix="runtime-graph-bench-") as folder:
        bolt_port, http_port, port = _free_ports(3)
        admin_key = secrets.token_urlsafe(24)
        before = structlog.get_config()
        structlog.configure(
            wrapper_class=structlog.make_filtering_bound_logger("warning"),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        )
        logging.getLogger("httpx").setLevel(logging.WARNING)
        settings = Settings(
            data_folder=Path(folder),
            bolt_port=bolt_port,
            http_port=http_port,
            port=port,
            admin_key=SecretStr(admin_key),
        )
        starting = progress_console.status("Starting Neo4j and the service …")
        starting.start()
        with ExitStack() as stack:
            stack.callback(structlog.configure, **before)
            stack.callback(starting.stop)
            server = stack.enter_context(embedded_neo4j(settings))
            database = Database(server.uri, server.username, server.password, server.database)
            url = stack.enter_context(serving(settings, database, clock))
            starting.stop()
            yield Running(url, admin_key, database.uri, database.user, database.password)


@contextmanager
def _service(running: Running, port: int, folder: Path) -> Iterator[None]:
    environment = {
        **os.environ,
        "NEO4J_URI": running.database_uri,
        "NEO4J_USERNAME": running.database_user,
        "NEO4J_PASSWORD": running.database_password,
        "RUNTIME_GRAPH_ADMIN_KEY": running.admin_key,
        "RUNTIME_GRAPH_DATA_FOLDER": str(folder),
        "RUNTIME_GRAPH_HOST": "127.0.0.1",
        "RUNTIME_GRAPH_PORT": str(port),
    }
    command = [sys.executable, "-c", "from service.cli import main; main()", "serve"]
    log = folder / "service.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        _await_ready(process, running.url, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/health/ready").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(POLL_S)
    state = "stayed silent" if process.poll() is None else f"ended with code {process.returncode}"
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:])
    raise ServiceDidNotStartError(f"the service {state}:\n{tail}")


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now; held together, so that they differ."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


@asynccontextmanager
async def fresh_tenant(running: Running) -> AsyncIterator[Tenant]:
    """A tenant of its own, with a client that is closed after the block."""
    async with httpx.AsyncClient(base_url=running.url, timeout=REQUEST_TIMEOUT_S) as client:
        made = await client.post(
            "/v1/tenants",
            json={"name": f"bench-{secrets.token_hex(8)}"},
            headers={"Authorization": f"Bearer {running.admin_key}"},
        )
        if made.status_code != httpx.codes.CREATED:
            raise RefusedError("/v1/tenants", made.status_code, _json(made))
        client.headers["Authorization"] = f"Bearer {made.json()['api_key']}"
        yield Tenant(made.json()["tenant_id"], client)


async def for_each(
    items: Sequence[Item], work: Callable[[Item], Awaitable[Result]], *, at_once: int, what: str
) -> list[Result]:
    """Results in the order of the items, with at most `at_once` under way; the first error ends all."""
    places = asyncio.Semaphore(at_once)
    with _progress() as progress:
        task = progress.add_task(what, total=len(items))

        async def one(item: Item) -> Result:
            async with places:
                result = await work(item)
            progress.advance(task)
            return result

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
    return [task_.result() for task_ in tasks]


def loaded(path: Path, option: str) -> ModuleType:
    """A scoring program, which stands beside the data and is no part of this project."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None or not path.is_file():
        raise typer.BadParameter("the scoring program is not there", param_hint=option)
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module  # its dataclasses look themselves up
    found.loader.exec_module(module)
    return module


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=progress_console, transient=True)


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
