"""What other tenants' data changes for a tenant: nothing in its answers, and how much in their time."""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer
from rich.table import Table

from bench.copies import read_original, write_copies
from bench.harness import Running, Tenant, console, fresh_tenant, progress_console, running_service_at
from bench.talk import ASKER, CONVERSATION, PERSON, USER, opening, steps_of_turn
from service.clock import FixedClock
from service.graph.driver import Graph
from service.importers import body_of
from service.model.events import MAIN_BRANCH, Batch, Event, ForkEvent, MessageEvent, TextPart, UserMemoryEvent
from service.model.vocabulary import MemoryKind, Role

NOW: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""The clock of the service stands still: nothing grows old between the two times."""
TURNS = 150
EVENTS_PER_BATCH = 100
ROUNDS = 100
ROUNDS_WARMED = 40
BUDGET_TOKENS = 4_000
ASIDE = "aside"
"""The conversation that grows while it is measured; no question is asked there."""
QUESTIONS = (
    "Which seat suits my knee on the train to Oslo?",
    "How many bags may I take on the train to Vienna?",
    "What did the ticket to Porto cost, and how did it come?",
    "Is a ticket refunded after the train has left?",
)
KNOWN = (
    ("seat", "prefers", "near the window, with room for the knee"),
    ("luggage", "takes", "two bags and a pair of skis on every train"),
    ("ticket", "wants", "by mail, never on the phone"),
)
DOCUMENTS = (
    ("bags", "Bags on trains", "Each passenger may take two bags and one pair of skis on a train."),
    ("refunds", "Refunds", "A ticket is refunded until the train has left, and by half for a day after it."),
)
STRANGER = "The answer of the strangers."
"""What every text of foreign tenants ends with, after a question word for word."""
KINDS = ("assemble", "append", "memories", "documents")
VARYING = ("assembly_id", "timings_ms", "consistency_token")
MARKER = re.compile(r"data-\d{15}")
"""A fence's, of its own in each context."""


Answers = dict[tuple[str, str], str]
"""By kind and question, as JSON without what differs by nature."""


@dataclass(slots=True)
class Asked:
    """Durations in seconds by kind, and the answers."""

    times: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    answers: Answers = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Crowded:
    """How many foreign nodes were written, and a tenant's answers before and after."""

    nodes: int
    before: Answers
    after: Answers


def foreign(
    nodes: Annotated[
        int, typer.Option(min=1, help="How many nodes other tenants have at least.")
    ] = 1_000_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON line alone.")] = False,
) -> None:
    """Ask a tenant's questions, write the nodes of other tenants, whose texts are nearer to the questions,
    and ask again; then time the same beside a second database without them.

    Exit code 1 when an answer is another one.
    """
    with running_service_at(FixedClock(NOW)) as without, running_service_at(FixedClock(NOW)) as beside:
        line = asyncio.run(_measure(without, beside, nodes))
    if not as_json:
        console.print(_table(line))
    print(json.dumps(line))
    if not line["same_answers"]:
        raise typer.Exit(1)


async def crowded(running: Running, tenant: Tenant, nodes: int) -> Crowded:
    """What a recorded tenant is answered before and after other tenants have at least so many nodes."""
    [before] = await _ask([tenant], "before", len(QUESTIONS))
    async with fresh_tenant(running) as stranger:
        await record(stranger, strange=True)
        await _ask([stranger], "strange", len(QUESTIONS))
        async with Graph(running.database_uri, running.database_user, running.database_password) as graph:
            original = await read_original(graph, stranger.tenant_id)
            written = await write_copies(graph, original, nodes)
    [after] = await _ask([tenant], "after", len(QUESTIONS))
    return Crowded(written, before.answers, after.answers)


async def _measure(without: Running, beside: Running, nodes: int) -> dict[str, Any]:
    async with fresh_tenant(without) as alone, fresh_tenant(beside) as tenant:
        await record(alone)
        await record(tenant)
        found = await crowded(beside, tenant, nodes)
        await _ask([alone, tenant], "warming", ROUNDS_WARMED)
        first, then = await _ask([alone, tenant], "timed", ROUNDS)
    kinds = {kind: _ratios(first.times[kind], then.times[kind]) for kind in KINDS}
    return {
        "bench": "foreign",
        "nodes": found.nodes,
        "same_answers": found.before == found.after == then.answers,
        "worst_ratio": max(each["p50_ratio"] for each in kinds.values()),
        **kinds,
    }


async def record(tenant: Tenant, *, strange: bool = False) -> None:
    """A configuration, documents, memories, and a talk with a branch for each question. A stranger's client
    ids are the same, and all it says are the questions."""
    settings = {"compaction": {"after_tokens": None}, "persona": "You book trains."}
    made = await tenant.post("/v1/configuration", {"settings": settings})
    path = f"/v1/configuration/{made['version']}/activate"
    (await tenant.client.post(path, json={"expected_version": 0})).raise_for_status()
    for number, (document_id, title, text) in enumerate(DOCUMENTS):
        body = {"title": title, "text": _strange(number) if strange else text}
        (await tenant.client.put(f"/v1/knowledge-documents/{document_id}", json=body)).raise_for_status()
    events = opening() + [event for turn in range(TURNS) for step in steps_of_turn(turn) for event in step]
    events += [_known(number, *known) for number, known in enumerate(KNOWN)]
    if strange:
        events = [_estranged(number, event) for number, event in enumerate(events)]
    with progress_console.status("Recording a tenant …"):
        for at in range(0, len(events), EVENTS_PER_BATCH):
            await _send(tenant, events[at : at + EVENTS_PER_BATCH])
        await _send(tenant, [ForkEvent(kind="fork", branch_id=_branch(one)) for one in QUESTIONS])
        for question in QUESTIONS:
            await _send(tenant, [_asked(_branch(question), question)], branch=_branch(question))
        await _send(tenant, opening(), at=ASIDE)


async def _ask(tenants: Sequence[Tenant], phase: str, rounds: int) -> list[Asked]:
    """Each round asks every kind of each tenant, one after the other, with the next question."""
    found = [Asked() for _ in tenants]
    with progress_console.status(f"Asking: {phase} …"):
        for number in range(rounds):
            question = QUESTIONS[number % len(QUESTIONS)]
            for kind in KINDS:
                for tenant, asked in list(zip(tenants, found, strict=True))[:: 1 if number % 2 else -1]:
                    started = time.perf_counter()
                    answer = await _request(tenant, kind, question, f"{phase}-{number}")
                    asked.times[kind].append(time.perf_counter() - started)
                    if kind != "append":
                        asked.answers[kind, question] = _comparable(answer)
    return found


async def _request(tenant: Tenant, kind: str, question: str, message_id: str) -> dict[str, Any]:
    match kind:
        case "append":
            return await _send(tenant, [_asked(message_id, question)], at=ASIDE)
        case "memories":
            return await _found(tenant, f"/v1/users/{USER}/memories", question)
        case "documents":
            return await _found(tenant, "/v1/knowledge-documents", question)
    context = {
        "conversation_id": CONVERSATION,
        "branch_id": _branch(question),
        "participant_id": ASKER,
        "budget_tokens": BUDGET_TOKENS,
        "question": True,
    }
    return await tenant.post("/v1/assemble", context)


async def _send(
    tenant: Tenant, events: list[Event], at: str = CONVERSATION, branch: str = MAIN_BRANCH
) -> dict[str, Any]:
    return await tenant.post(
        "/v1/events", body_of(Batch(conversation_id=at, branch_id=branch, events=events))
    )


async def _found(tenant: Tenant, path: str, query: str) -> dict[str, Any]:
    response = (await tenant.client.get(path, params={"query": query})).raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer


def _comparable(answer: dict[str, Any]) -> str:
    """An answer without what differs from one request to the next."""
    kept = {name: value for name, value in answer.items() if name not in VARYING}
    return MARKER.sub("data", json.dumps(kept, sort_keys=True))


def _branch(question: str) -> str:
    return f"question-{QUESTIONS.index(question)}"


def _strange(number: int) -> str:
    return f"{QUESTIONS[number % len(QUESTIONS)]} {STRANGER}"


def _estranged(number: int, event: Event) -> Event:
    """The same event, with a question for its text."""
    match event:
        case MessageEvent():
            return event.model_copy(update={"parts": [TextPart(type="text", content=_strange(number))]})
        case UserMemoryEvent():
            return event.model_copy(update={"value": _strange(number)})
    return event


def _asked(message_id: str, text: str) -> MessageEvent:
    return MessageEvent(
        kind="message",
        message_id=message_id,
        participant_id=PERSON,
        role=Role.USER,
        parts=[TextPart(type="text", content=text)],
    )


def _known(number: int, subject: str, predicate: str, value: str) -> UserMemoryEvent:
    return UserMemoryEvent(
        kind="user_memory",
        memory_id=f"known-{number}",
        participant_id=PERSON,
        memory_kind=MemoryKind.PREFERENCE,
        subject=subject,
        predicate=predicate,
        value=value,
    )


def _ratios(without: list[float], beside: list[float]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, at in (("p50", 9), ("p95", 18)):
        first, then = (statistics.quantiles(times, n=20)[at] for times in (without, beside))
        figures |= {
            f"without_{name}_ms": round(first * 1_000, 2),
            f"beside_{name}_ms": round(then * 1_000, 2),
        }
        figures[f"{name}_ratio"] = round(then / first, 2)
    return figures


def _table(line: dict[str, Any]) -> Table:
    same = "the same" if line["same_answers"] else "OTHER"
    title = f"Beside {line['nodes']:,} foreign nodes: {same} answers"
    table = Table("", "p50 ms without", "beside", "ratio", "p95 ms without", "beside", "ratio", title=title)
    for kind in KINDS:
        table.add_row(kind, *(f"{value:.2f}" for value in line[kind].values()))
    return table
