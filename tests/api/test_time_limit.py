"""A request that takes too long is told so, and never that nothing was written when it may have been."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from agent_platform import OPENING, Platform, asked, problem
from prometheus_client import REGISTRY
from served import ADMIN_KEY, Rows
from starlette.types import Message, Receive, Scope, Send

from service.api.app import create_app
from service.api.limits import TimeLimit
from service.api.services import Services
from service.clock import SystemClock
from service.graph.driver import Graph, Transaction
from service.storage.blobs import Blobs
from service.wiring import wire

TIMEOUT_MS = 1500
WAIT_S = 30
HOLD = "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) SET b.title = 'held'"


@pytest.fixture(scope="session")
def services(graph: Graph, blobs: Blobs) -> Services:
    """One set of use cases, behind a service that has time and one that has not."""
    return wire(graph, blobs, secrets.token_bytes(32), ADMIN_KEY, SystemClock())


@pytest.fixture
async def patient(services: Services) -> AsyncIterator[Platform]:
    """A tenant's client at the service that has time."""
    async with serving(services, None) as client:
        operator = Platform(client, ADMIN_KEY, "")
        made = await operator.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})
        yield Platform(client, made.json()["api_key"], made.json()["tenant_id"])


@pytest.fixture
async def hurried(services: Services, patient: Platform) -> AsyncIterator[Platform]:
    """The same tenant's client at the service that gives a request little time."""
    async with serving(services, TIMEOUT_MS) as client:
        yield Platform(client, patient.key, patient.tenant_id)


async def test_a_write_that_goes_on_is_not_reported_as_not_committed(
    patient: Platform, hurried: Platform, graph: Graph, rows: Rows
) -> None:
    """Another writer holds the branch; the batch waits behind it and is applied after its caller was told."""
    await patient.recorded(*OPENING)
    before = REGISTRY.get_sample_value("runtime_graph_writes_unknown_total")
    async with branch_held(graph, patient.tenant_id):
        late = await hurried.record(asked("m1", "Hello"), idempotency_key="k")
        async with asyncio.timeout(WAIT_S):
            while late.status_code == 503:  # a machine so slow that the write had not begun
                late = await hurried.record(asked("m1", "Hello"), idempotency_key="k")
        assert problem(late, 504, "timeout_writing")["outcome"] == "unknown"
    again = await patient.recorded(asked("m1", "Hello"), idempotency_key="k")
    assert again["head"] == 4
    messages = await rows("MATCH (m:Message {tenant_id: $t}) RETURN count(m) AS n", t=patient.tenant_id)
    assert messages == [{"n": 1}]
    assert REGISTRY.get_sample_value("runtime_graph_writes_unknown_total") == before + 1


async def test_a_request_that_began_no_write_was_not_committed(hurried: Platform, rows: Rows) -> None:
    never = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b'{"conversation_id": "trip", "events": ['
        await never.wait()

    headers = {"Authorization": f"Bearer {hurried.key}", "Content-Type": "application/json"}
    late = await hurried.http.post("/v1/events", content=body(), headers=headers)
    assert problem(late, 503, "timeout")["outcome"] == "not_committed"
    assert late.headers["X-Request-Id"]
    assert await rows("MATCH (e:Event {tenant_id: $t}) RETURN e.seq AS seq", t=hurried.tenant_id) == []


async def test_a_write_that_was_refused_within_a_late_request_was_not_committed(graph: Graph) -> None:
    async def refused(scope: Scope, receive: Receive, send: Send) -> None:
        async def work(tx: Transaction) -> None:
            raise LookupError

        with pytest.raises(LookupError):
            await graph.write(work)
        await asyncio.Event().wait()

    assert problem(await ask(TimeLimit(refused, 500)), 503, "timeout")["outcome"] == "not_committed"


async def test_a_write_that_was_committed_before_the_time_was_up_is_unknown_to_the_caller(
    graph: Graph,
) -> None:
    async def wrote(scope: Scope, receive: Receive, send: Send) -> None:
        await graph.write(lambda tx: tx.run("MERGE (m:MigrationLock {name: 'schema'})"))
        await asyncio.Event().wait()

    assert problem(await ask(TimeLimit(wrote, 500)), 504, "timeout_writing")["outcome"] == "unknown"


async def test_an_answer_that_has_begun_is_not_cut() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(0.2, later.set)
        await later.wait()
        await send({"type": "http.response.body", "body": b"whole"})

    answer = await ask(TimeLimit(slow, 100))
    assert (answer.status_code, answer.text) == (200, "whole")


async def test_a_timeout_of_the_apps_own_stays_what_it_is() -> None:
    async def impatient(scope: Scope, receive: Receive, send: Send) -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        await ask(TimeLimit(impatient, 60_000))


async def test_other_connections_have_no_limit() -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def nothing() -> Message:
        return {}

    async def sink(_: Message) -> None:
        return None

    await TimeLimit(app, 1)({"type": "lifespan"}, nothing, sink)
    assert seen == ["lifespan"]


@asynccontextmanager
async def serving(services: Services, request_timeout_ms: int | None) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service over these use cases."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Services]:
        yield services

    app = create_app(opened, request_timeout_ms=request_timeout_ms)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://service", timeout=60) as client,
    ):
        yield client


async def ask(app: TimeLimit) -> httpx.Response:
    """One request to a bare app."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bare") as client:
        return await client.get("/")


@asynccontextmanager
async def branch_held(graph: Graph, tenant_id: str) -> AsyncIterator[None]:
    """Another writer has the branch's lock while the block runs; its change is rolled back."""
    held, go = asyncio.Event(), asyncio.Event()

    async def hold(tx: Transaction) -> None:
        await (await tx.run(HOLD, {"t": tenant_id})).consume()
        held.set()
        await go.wait()
        raise LookupError

    holding = asyncio.create_task(graph.write(hold))
    await held.wait()
    try:
        yield
    finally:
        go.set()
        with pytest.raises(LookupError):
            await holding
