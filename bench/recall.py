"""Are the messages that answer a question in its context, within a token budget, and still when compacted?

The definition (cases, presence, score) is a program beside the data; it is used as it is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.table import Table

from bench.baselines import BASELINES, Baselines
from bench.harness import RefusedError, Tenant, console, for_each, fresh_tenant, loaded, running_service
from bench.replay import text_of
from service.text.tokens import tokenizer

CONVERSATION, ASKER = "talk", "assistant"
MESSAGES_PER_BATCH = 100
DEFAULT_BUDGET = 2_000
MARKS = ("questions", "recall", "recall_95", "all", "by_kind")


def recall(
    data: Annotated[Path, typer.Option(help="A LoCoMo file, or a folder of BEAM or bfcl memory files.")],
    budget: Annotated[int, typer.Option(min=100, help="Tokens of a context.")] = DEFAULT_BUDGET,
    profile: Annotated[str, typer.Option(help="Packing profile.")] = "thorough",
    compact_every: Annotated[
        int, typer.Option(min=0, help="Also with the branch compacted every so many tokens; 0: not.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON line alone.")] = False,
    definition: Annotated[
        Path | None,
        typer.Option(help="The scoring program.", show_default="evidence_recall.py above the data"),
    ] = None,
    clients: Annotated[int, typer.Option(min=1, help="Questions asked at once.")] = 2,
    limit: Annotated[int | None, typer.Option(min=1, help="Use the first conversations only.")] = None,
) -> None:
    """Record conversations, ask each question on a branch of its own, and score the contexts.

    A conversation has a tenant of its own; a question is the newest message of a branch that forks at the end
    of the talk. `recall` is the share of evidence messages that stand whole in the context. `baselines` are
    the same marks of contexts of the newest messages, and of those that BM25 ranks first.
    """
    above = data.absolute().parents[0 if data.is_dir() else 1]
    scoring = loaded(definition or above / "evidence_recall.py", "--definition")
    tokenizer()  # puts the vocabulary where the scoring program looks for it
    talks = list(_talks(scoring, data))[:limit]
    ways = (0, compact_every) if compact_every else (0,)
    with running_service() as running:

        async def work(asked: tuple[_Talk, int]) -> list[str]:
            async with fresh_tenant(running) as tenant:
                return await _contexts(tenant, *asked, budget, profile, clients)

        jobs = [(talk, every) for every in ways for talk in talks]
        per_talk = asyncio.run(for_each(jobs, work, at_once=1, what="asking"))
    cases = [case for talk in talks for case in talk.cases]
    marks = {}
    for at, every in enumerate(ways):
        texts = iter([text for of_talk in per_talk[at * len(talks) :][: len(talks)] for text in of_talk])
        scored = scoring.score(cases, lambda case: next(texts), budget)  # noqa: B023
        marks[every] = {name: scored[name] for name in MARKS}
    beside = {name: _baseline(scoring, talks, name, budget) for name in BASELINES}
    if not as_json:
        console.print(_table(f"{data.name}, {budget:,} tokens, profile {profile}", marks, beside))
    line = {**marks[0], "budget_tokens": budget, "profile": profile, "baselines": beside}
    if compact_every:
        compacted = marks[compact_every]
        lost = round(marks[0]["recall"] - compacted["recall"], 4)
        line |= {"compact_every": compact_every, "compacted": compacted, "lost_by_compaction": lost}
    print(json.dumps(line))


@dataclass(frozen=True)
class _Talk:
    """One conversation with its cases, in the order of the data."""

    messages: Sequence[Any]
    cases: list[Any]


def _baseline(scoring: ModuleType, talks: Sequence[_Talk], name: str, budget: int) -> dict[str, Any]:
    """The marks of a baseline over the same cases."""
    kept = [Baselines(talk.messages, budget) for talk in talks]
    texts = [
        BASELINES[name](one, case.question)
        for one, talk in zip(kept, talks, strict=True)
        for case in talk.cases
    ]
    given = iter(texts)
    cases = [case for talk in talks for case in talk.cases]
    scored = scoring.score(cases, lambda case: next(given), budget)
    return {mark: scored[mark] for mark in MARKS}


def _talks(scoring: ModuleType, data: Path) -> Iterator[_Talk]:
    talks: dict[str, _Talk] = {}
    for case in scoring.cases(data):
        talks.setdefault(case.conversation, _Talk(case.messages, [])).cases.append(case)
    yield from talks.values()


async def _contexts(
    tenant: Tenant, talk: _Talk, every: int, budget: int, profile: str, clients: int
) -> list[str]:
    """The context of every question of a conversation, in order."""
    await _record(tenant, talk, every)
    places = asyncio.Semaphore(clients)

    async def ask(number: int, question: str) -> str:
        async with places:
            branch = f"question-{number}"
            await _send(tenant, [{"kind": "fork", "branch_id": branch}])
            asked = _said(branch, talk.messages[0].speaker, question, "user")
            token = await _send(tenant, [asked], branch)
            body = {
                "conversation_id": CONVERSATION,
                "branch_id": branch,
                "participant_id": ASKER,
                "budget_tokens": budget,
                "profile": profile,
                "format": "canonical",
                "preview": True,
            }
            return text_of(await tenant.post("/v1/assemble", body, token))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(at, case.question)) for at, case in enumerate(talk.cases)]
    return [task.result() for task in tasks]


async def _record(tenant: Tenant, talk: _Talk, every: int) -> None:
    """The talk as it went, compacted whenever so many tokens have come since the last time."""
    speakers = list(dict.fromkeys(message.speaker for message in talk.messages))
    await _send(
        tenant,
        [
            {"kind": "conversation", "user_id": "person"},
            {"kind": "participant", "participant_id": ASKER, "participant_kind": "agent"},
            *(
                {"kind": "participant", "participant_id": speaker, "participant_kind": "human"}
                for speaker in speakers
                if speaker != ASKER
            ),
        ],
    )
    count, since, waiting = tokenizer().count, 0, list[dict[str, Any]]()
    for number, message in enumerate(talk.messages):
        role = "assistant" if message.speaker == ASKER else "user"
        waiting.append(_said(f"m{number}", message.speaker, message.text, role))
        since += count(message.text)
        if (every and since >= every) or len(waiting) == MESSAGES_PER_BATCH:
            await _send(tenant, waiting)
            waiting = []
        if every and since >= every:
            since = 0 if await _compact(tenant, f"k{number}") else since
    if waiting:
        await _send(tenant, waiting)


async def _compact(tenant: Tenant, compaction_id: str) -> bool:
    """Whether there was anything to cover before the newest user message."""
    body = {"conversation_id": CONVERSATION, "compaction_id": compaction_id, "keep_tokens": 0}
    try:
        await tenant.post("/v1/branches/main/compact", body)
    except RefusedError as refused:
        if refused.code != "nothing_to_compact":
            raise
        return False
    return True


def _said(message_id: str, speaker: str, text: str, role: str) -> dict[str, Any]:
    return {
        "kind": "message",
        "message_id": message_id,
        "participant_id": speaker,
        "role": role,
        "parts": [{"type": "text", "content": text}],
    }


async def _send(tenant: Tenant, events: list[dict[str, Any]], branch: str = "main") -> str:
    body = {"conversation_id": CONVERSATION, "branch_id": branch, "events": events}
    return str((await tenant.post("/v1/events", body))["consistency_token"])


def _table(title: str, marks: dict[int, dict[str, Any]], beside: dict[str, dict[str, Any]]) -> Table:
    table = Table("way", "kind", "questions", "recall", "95 %", "all of it", title=title)
    ways = {f"compacted every {every:,} tokens" if every else "as it is": one for every, one in marks.items()}
    for way, mark in {**ways, **beside}.items():
        low, high = mark["recall_95"]
        shares = f"{mark['recall']:.3f}", f"{low:.3f} to {high:.3f}", f"{mark['all']:.3f}"
        table.add_row(way, "every kind", str(mark["questions"]), *shares)
        for kind, one in mark["by_kind"].items():
            table.add_row("", kind, str(one["questions"]), f"{one['recall']:.3f}", "", f"{one['all']:.3f}")
    return table
