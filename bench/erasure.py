"""How long it takes to erase one person with very many nodes, and what another tenant notices of it."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Final

import httpx
import typer
from rich.table import Table

from bench.harness import REQUEST_TIMEOUT_S, RefusedError, Running, Tenant, console, for_each, running_service

NODES_PER_TURN: Final = 9
"""At least: what four events make, and what is learned of them."""
TURNS_PER_BATCH: Final = 40
TURNS_PER_CONVERSATION: Final = 1_000
WRITERS: Final = 4
WARM_S: Final = 60.0
"""What was recorded is learned from meanwhile, and the database has seen every query."""
USUAL_S: Final = 30.0
"""How long the others are measured before."""
OTHERS: Final = 4
CONVERSATIONS: Final = 16
"""Of each of the others; one conversation's records wait for each other."""
RUN_MAX_S: Final = 3_600.0
POLL_S: Final = 0.5
KEEP_ALIVE_S: Final = 2.0
"""Less than the server keeps an idle connection: it may close one that is being used again."""
PERSON: Final = "person"
NEIGHBOUR: Final = "neighbour"
"""Somebody with half as many nodes who stays: one person is not the whole of a database."""
BEFORE: Final = "before"
"""Somebody who is erased first: a database plans a query when it sees it for the first time, and again when
it has grown much."""
WORDS: Final = "please look for a train that leaves after lunch and keeps the seat near the window "


@dataclass(frozen=True, slots=True)
class Asked:
    """What a tenant's requests took, in milliseconds, and how many failed."""

    times_ms: list[float]
    failed: int

    def p(self, share: float) -> float:
        """The time below which this share of the requests stays."""
        ordered = sorted(self.times_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def erasure(
    nodes: Annotated[int, typer.Option(min=100, help="How many nodes the person has at least.")] = 100_000,
    rate: Annotated[int, typer.Option(min=1, help="Requests per second of other tenants.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON line alone.")] = False,
) -> None:
    """Record a person's talks, preview and erase the person, while other tenants record and read at a steady
    rate; before it the same rate alone."""
    with running_service() as running:
        line = asyncio.run(_measure(running, nodes, rate))
    if not as_json:
        console.print(_table(line))
    print(json.dumps(line))
    if line["state"] != "fulfilled":
        raise typer.Exit(1)


async def _measure(running: Running, nodes: int, rate: int) -> dict[str, Any]:
    async with _two_keys(running) as (first, second), _talking(running) as others:
        await _record(first, nodes, PERSON)
        await _record(first, nodes // 2, NEIGHBOUR)
        await _record(first, 1, BEFORE)
        await _erased(first, second, BEFORE)
        await _traffic(others, rate, asyncio.create_task(asyncio.sleep(WARM_S)))
        usual = await _traffic(others, rate, asyncio.create_task(asyncio.sleep(USUAL_S)))
        began = time.perf_counter()
        digest = await _previewed(first, PERSON)
        preview_s = time.perf_counter() - began
        began = time.perf_counter()
        await _step(second, PERSON, "approve", {"plan_digest": digest})
        ended = asyncio.create_task(_ended(first, PERSON))
        during = await _traffic(others, rate, ended)
        row = ended.result()
        erase_s = time.perf_counter() - began
    receipt = row["receipt"] or {}
    return {
        "bench": "erasure",
        "state": row["state"],
        "nodes": sum(receipt.get("nodes", {}).values()),
        "edges": sum(receipt.get("edges", {}).values()),
        "preview_s": round(preview_s, 1),
        "erase_s": round(erase_s, 1),
        "rate": rate,
        "requests": len(during.times_ms),
        "failed": during.failed,
        "p50_ms": [round(each.p(0.5), 1) for each in (usual, during)],
        "p99_ms": [round(each.p(0.99), 1) for each in (usual, during)],
        "p99_ratio": round(during.p(0.99) / usual.p(0.99), 2),
    }


@asynccontextmanager
async def _two_keys(running: Running) -> AsyncIterator[tuple[Tenant, Tenant]]:
    """A tenant of its own, once by each of two keys."""
    name = f"bench-{secrets.token_hex(8)}"
    limits = httpx.Limits(max_connections=400, keepalive_expiry=KEEP_ALIVE_S)
    async with (
        httpx.AsyncClient(base_url=running.url, timeout=REQUEST_TIMEOUT_S, limits=limits) as first,
        httpx.AsyncClient(base_url=running.url, timeout=REQUEST_TIMEOUT_S, limits=limits) as second,
    ):
        operator = {"Authorization": f"Bearer {running.admin_key}"}
        made = (await first.post("/v1/tenants", json={"name": name}, headers=operator)).json()
        more = (await first.post(f"/v1/tenants/{name}/keys", headers=operator)).json()
        first.headers["Authorization"] = f"Bearer {made['api_key']}"
        second.headers["Authorization"] = f"Bearer {more['api_key']}"
        yield Tenant(made["tenant_id"], first), Tenant(made["tenant_id"], second)


@asynccontextmanager
async def _talking(running: Running) -> AsyncIterator[list[tuple[Tenant, str]]]:
    """Other tenants, each once for every conversation of it."""
    async with AsyncExitStack() as stack:
        tenants = [(await stack.enter_async_context(_two_keys(running)))[0] for _ in range(OTHERS)]
        talks = [(tenant, f"talk-{number}") for number in range(CONVERSATIONS) for tenant in tenants]
        for tenant, at in talks:
            await tenant.post("/v1/events", _opened(at, PERSON))
        yield talks


async def _record(tenant: Tenant, nodes: int, person: str) -> None:
    """Talks of a person, as many as give so many nodes or a few more."""

    async def talk(start: int) -> None:
        at = f"{person}-{start}"
        await tenant.post("/v1/events", _opened(at, person))
        end = min(turns, start + TURNS_PER_CONVERSATION)
        for first in range(start, end, TURNS_PER_BATCH):
            some = range(first, min(end, first + TURNS_PER_BATCH))
            events = [event for turn in some for event in _turn(f"{person}-{turn}")]
            await tenant.post("/v1/events", json.dumps({"conversation_id": at, "events": events}))

    turns = -(-nodes // NODES_PER_TURN)
    starts = range(0, turns, TURNS_PER_CONVERSATION)
    await for_each(starts, talk, at_once=WRITERS, what=f"recording talks of the {person}")


def _opened(at: str, person: str) -> str:
    seats = [
        {"kind": "conversation", "user_id": person},
        {
            "kind": "participant",
            "participant_id": "user",
            "participant_kind": "human",
            "user_id": person,
        },
        {"kind": "participant", "participant_id": "agent", "participant_kind": "agent"},
    ]
    return json.dumps({"conversation_id": at, "events": seats})


def _turn(name: str) -> list[dict[str, Any]]:
    def said(who: str, role: str, part: str) -> dict[str, Any]:
        parts = [{"type": "text", "content": f"{part} {name}: {WORDS}"}]
        message = f"{part}-{name}"
        return {"kind": "message", "message_id": message, "participant_id": who, "role": role, "parts": parts}

    return [
        said("user", "user", "question"),
        {
            "kind": "tool_call",
            "call_id": f"call-{name}",
            "tool_name": "search_trains",
            "arguments": {"turn": name},
            "participant_id": "agent",
        },
        {"kind": "tool_result", "call_id": f"call-{name}", "result": {"train": name, "price": 40}},
        said("agent", "assistant", "answer"),
    ]


async def _traffic(talks: Sequence[tuple[Tenant, str]], rate: int, until: asyncio.Task[Any]) -> Asked:
    """Requests at a steady rate, whether earlier ones were answered or not: a talk is written, then read."""
    times: list[float] = []
    failed = 0
    running: set[asyncio.Task[None]] = set()

    async def one(number: int, due: float) -> None:
        nonlocal failed
        tenant, at = talks[number // 2 % len(talks)]
        try:
            if number % 2 == 0:
                name = f"{secrets.token_hex(4)}-{number}"
                body = {"conversation_id": at, "events": _turn(name)[:1]}
                answer = await tenant.client.post("/v1/events", json=body)
            else:
                path = f"/v1/branches/main/pins?conversation_id={at}&participant_id=agent"
                answer = await tenant.client.get(path)
            failed += answer.is_error
        except httpx.TransportError:
            failed += 1
        times.append((time.perf_counter() - due) * 1000)

    start = time.perf_counter()
    number = 0
    while not until.done():
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        task = asyncio.create_task(one(number, due))
        running.add(task)
        task.add_done_callback(running.discard)
        number += 1
    await asyncio.gather(*running)
    return Asked(times, failed)


async def _erased(first: Tenant, second: Tenant, person: str) -> None:
    digest = await _previewed(first, person)
    await _step(second, person, "approve", {"plan_digest": digest})
    await _ended(first, person)


async def _previewed(tenant: Tenant, person: str) -> str:
    """The request is named as the person is."""
    body = {"request_id": person, "request_kind": "erasure", "user_id": person}
    await tenant.post("/v1/privacy-requests", body)
    row = await _step(tenant, person, "preview", {})
    while row["plan"] is None:
        row = await _step(tenant, person, "preview", {})  # waits for the same one, and says where it failed
    return str(row["plan_digest"])


async def _step(tenant: Tenant, request_id: str, verb: str, body: dict[str, Any]) -> dict[str, Any]:
    path = f"/v1/privacy-requests/{request_id}/{verb}"
    answer = await tenant.client.post(path, json=body, timeout=RUN_MAX_S)
    answer.raise_for_status()
    row: dict[str, Any] = answer.json()
    return row


async def _ended(tenant: Tenant, request_id: str) -> dict[str, Any]:
    end, path = time.perf_counter() + RUN_MAX_S, f"/v1/privacy-requests/{request_id}"
    while True:
        answer = await tenant.client.get(path)
        row: dict[str, Any] = answer.json()
        if answer.is_success and row["stage"] not in ("approved", "begun"):
            return row
        if time.perf_counter() > end:
            raise RefusedError(path, answer.status_code, row)
        await asyncio.sleep(POLL_S)


def _table(line: dict[str, Any]) -> Table:
    table = Table(
        "", "usual", "during the erasure", title=f"{line['nodes']:,} nodes, {line['edges']:,} edges"
    )
    for name in ("p50_ms", "p99_ms"):
        table.add_row(name, *(f"{value:,.1f}" for value in line[name]))
    table.caption = f"preview {line['preview_s']} s, erasure {line['erase_s']} s, {line['failed']} failed"
    return table
