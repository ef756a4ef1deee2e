"""How much the service costs beside the database itself: its p50 over a bare driver's, measured interleaved.

The bare driver does what no service could avoid: one read of the rows that the answer is made of, by their
ids, and one write transaction of one node. Ratios travel between machines; milliseconds do not.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from neo4j import AsyncGraphDatabase, AsyncManagedTransaction, AsyncSession
from rich.table import Table

from bench.harness import Running, Tenant, console, for_each, fresh_tenant, progress_console, running_service
from bench.talk import ASKER, CONVERSATION, opening, steps_of_turn
from service.importers import body_of
from service.model.events import Batch, Event

TURNS = (100, 1_000)
TURNS_TIMED = 40
TURNS_WARMED = 60
EVENTS_PER_LOAD = 100
BUDGET_TOKENS = 4_000
ANSWER_LABELS = {
    "message": "Message",
    "summary_line": "SummaryLine",
    "tool_memory": "ToolMemory",
    "tool_call": "ToolCall",
}
"""The labels of the items of an answer, by kind; a call's row is its artifact's too."""

READ_ROWS = """
CALL () {
  UNWIND $message AS uid MATCH (n:Message {uid: uid}) RETURN n.text AS a, n.role AS b, n.seq AS c
  UNION ALL
  UNWIND $summary_line AS uid MATCH (n:SummaryLine {uid: uid})
  RETURN n.text AS a, n.line_kind AS b, n.first_seq AS c
  UNION ALL
  UNWIND $tool_memory AS uid MATCH (n:ToolMemory {uid: uid})
  RETURN n.headline AS a, n.records AS b, n.seq AS c
  UNION ALL
  UNWIND $tool_call AS uid MATCH (n:ToolCall {uid: uid})-[:RESULTED_IN]->(r:ToolArtifact)
  RETURN n.arguments AS a, r.result AS b, n.seq AS c
}
RETURN a, b, c
"""
WRITE_ROW = "CREATE (:BenchWrite {at: $at})"


@dataclass(slots=True)
class Times:
    """Durations in seconds, and what an answer was made of."""

    assemble: list[float] = field(default_factory=list)
    record: list[float] = field(default_factory=list)
    bare_read: list[float] = field(default_factory=list)
    bare_write: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    inside: dict[str, list[float]] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """Medians in ms, the two ratios, and the parts that any machine must find the same."""
        named = {name: getattr(self, name) for name in ("assemble", "record", "bare_read", "bare_write")}
        p50_ms = {f"{name}_p50_ms": _ms(statistics.median(taken)) for name, taken in named.items()}
        p95_ms = {
            f"{name}_p95_ms": _ms(statistics.quantiles(named[name], n=20)[-1])
            for name in ("assemble", "record")
        }
        bare = statistics.median(self.bare_read) + statistics.median(self.bare_write)
        return {
            "assemble_ratio": round(statistics.median(self.assemble) / bare, 2),
            "record_ratio": round(statistics.median(self.record) / bare, 2),
            **p50_ms,
            **p95_ms,
            "inside_p50_ms": {name: round(statistics.median(ms), 3) for name, ms in self.inside.items()},
            "answer_rows": statistics.median(self.rows),
            "events_per_record": round(statistics.mean(self.events), 2),
            "assembled_tokens": statistics.median(self.tokens),
            "samples": {name: len(taken) for name, taken in named.items()},
        }


def latency(
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON line alone.")] = False,
    turns: Annotated[
        list[int] | None, typer.Option(min=TURNS_TIMED, help="Length of the conversation; may be repeated.")
    ] = None,
    compacted: Annotated[
        bool,
        typer.Option("--compacted", help="Let a long branch be compacted, as it is unless a tenant says no."),
    ] = False,
) -> None:
    """Time assembling and recording in a conversation of 100 and of 1,000 turns.

    A turn is a user's message and an answer; every other turn calls a tool first. Each batch is recorded and
    each context assembled as a platform would, in turn, with the bare driver's read and write between. A
    compacted conversation's answer has fewer rows, of lines and memories in place of messages, so that the
    bare read beside it is another one.
    """
    with running_service() as running:
        found = {length: asyncio.run(_measure(running, length, compacted)) for length in turns or TURNS}
    if not as_json:
        console.print(_table(found))
    worst = {name: max(each[name] for each in found.values()) for name in ("assemble_ratio", "record_ratio")}
    print(
        json.dumps(
            {**worst, "compacted": compacted, "turns": {str(length): each for length, each in found.items()}}
        )
    )


async def _measure(running: Running, length: int, compacted: bool) -> dict[str, Any]:
    """Around `length` turns: the timed ones begin half their number before it."""
    before = length - TURNS_TIMED // 2 - TURNS_WARMED
    async with fresh_tenant(running) as tenant, _bare_session(running) as session:
        if not compacted:
            await _keep_whole(tenant)
        await _load(tenant, max(0, before))
        warming, times = Times(), Times()
        with progress_console.status(f"Timing around {length:,} turns …"):
            for turn in range(max(0, before), length + TURNS_TIMED // 2):
                timed = times if turn >= length - TURNS_TIMED // 2 else warming
                await _live_turn(tenant, session, turn, timed)
    return times.summary()


async def _keep_whole(tenant: Tenant) -> None:
    """Switch on a configuration in which no branch is compacted by itself."""
    made = await tenant.post("/v1/configuration", {"settings": {"compaction": {"after_tokens": None}}})
    path = f"/v1/configuration/{made['version']}/activate"
    (await tenant.client.post(path, json={"expected_version": 0})).raise_for_status()


async def _load(tenant: Tenant, turns: int) -> None:
    events: list[Event] = opening()
    for turn in range(turns):
        events += [event for step in steps_of_turn(turn) for event in step]
    batches = [events[at : at + EVENTS_PER_LOAD] for at in range(0, len(events), EVENTS_PER_LOAD)]

    async def record(batch: list[Event]) -> None:
        await tenant.post("/v1/events", body_of(Batch(conversation_id=CONVERSATION, events=batch)))

    await for_each(batches, record, at_once=1, what=f"recording {turns:,} turns")


async def _live_turn(tenant: Tenant, session: AsyncSession, turn: int, times: Times) -> None:
    """Record each step; before each model run, assemble, and then let the bare driver read and write."""
    for step in steps_of_turn(turn):
        if step[0].kind == "model_run":
            answer = await _timed(times.assemble, lambda: tenant.post("/v1/assemble", _request()))
            await _note(times, answer, session)
        body = body_of(Batch(conversation_id=CONVERSATION, events=step))
        await _timed(times.record, lambda body=body: tenant.post("/v1/events", body))  # type: ignore[misc]
        times.events.append(len(step))


async def _note(times: Times, answer: dict[str, Any], session: AsyncSession) -> None:
    uids: dict[str, list[str]] = {kind: [] for kind in ANSWER_LABELS}
    for section in answer["sections"]:
        for item in section["items"]:
            uids[item["kind"]].append(item["uid"])
    rows = await _timed(times.bare_read, lambda: session.execute_read(_read, uids))
    await _timed(times.bare_write, lambda: session.execute_write(_write))
    times.rows.append(rows)
    times.tokens.append(answer["tokens"]["assembled"])
    for name, taken_ms in answer["timings_ms"].items():
        times.inside.setdefault(name, []).append(taken_ms)


def _request() -> dict[str, Any]:
    return {"conversation_id": CONVERSATION, "participant_id": ASKER, "budget_tokens": BUDGET_TOKENS}


async def _read(tx: AsyncManagedTransaction, uids: dict[str, list[str]]) -> int:
    result = await tx.run(READ_ROWS, uids)
    return len(await result.values())


async def _write(tx: AsyncManagedTransaction) -> None:
    await (await tx.run(WRITE_ROW, at=time.time_ns() // 1_000)).consume()


async def _timed(into: list[float], work: Callable[[], Awaitable[Any]]) -> Any:
    started = time.perf_counter()
    result = await work()
    into.append(time.perf_counter() - started)
    return result


@asynccontextmanager
async def _bare_session(running: Running) -> AsyncIterator[AsyncSession]:
    auth = (running.database_user, running.database_password)
    async with (
        AsyncGraphDatabase.driver(running.database_uri, auth=auth, telemetry_disabled=True) as driver,
        driver.session(database="neo4j") as session,
    ):
        yield session


def _table(found: dict[int, dict[str, Any]]) -> Table:
    table = Table("turns", "", "p50 ms", "p95 ms", "over bare", title="Over HTTP, beside a bare driver")
    for column in table.columns[2:]:
        column.justify = "right"
    for length, each in found.items():
        for name in ("assemble", "record"):
            p50, p95 = f"{each[f'{name}_p50_ms']:.2f}", f"{each[f'{name}_p95_ms']:.2f}"
            table.add_row(f"{length:,}", name, p50, p95, f"{each[f'{name}_ratio']:.2f}")
        for name in ("bare_read", "bare_write"):
            table.add_row("", name.replace("_", " "), f"{each[f'{name}_p50_ms']:.2f}", "", "")
    return table


def _ms(seconds: float) -> float:
    return round(seconds * 1_000, 3)
