"""Does the assembled context still hold what the next tool call needs, and at which cost?

The definition (needed values, recall, reduction) is a program beside the data; it is used as it is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.table import Table

from bench.examples import write_examples
from bench.harness import console, for_each, fresh_tenant, loaded, running_service
from bench.picture import Point, curve
from bench.replay import Context, Message, replay
from service.text.tokens import tokenizer

CURVE_BUDGETS = (500, 750, 1_000, 1_500, 2_000, 3_000)
DEFAULT_BUDGETS = {"economy": 800}
"""What the JSON line reports where no budget is given, by profile."""
DEFAULT_BUDGET = 850
WINDOW_BUDGETS = (500, 1_000, 1_500, 2_000, 3_000)
MARKS = ("recall_tool", "recall_user", "reduction", "tokens_per_call", "calls")
HEADINGS = ("tool values", "user values", "reduction", "tokens", "calls", "above")


def argument_recall(
    data: Annotated[Path, typer.Option(help="Recorded runs: tau-bench or chat rows, .json/.jsonl, gzipped.")],
    budget: Annotated[
        int | None, typer.Option(min=1, help="Tokens of a context. Left out: a curve over several budgets.")
    ] = None,
    profile: Annotated[str, typer.Option(help="Packing profile: default, economy, thorough.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON line alone.")] = False,
    definition: Annotated[
        Path | None,
        typer.Option(help="The scoring program.", show_default="argument_recall.py above the data"),
    ] = None,
    clients: Annotated[int, typer.Option(min=1, help="Runs replayed at once.")] = 4,
    limit: Annotated[int | None, typer.Option(min=1, help="Use the first runs only.")] = None,
    examples: Annotated[Path | None, typer.Option(help="Folder for sampled contexts as Markdown.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many contexts to sample.")] = 20,
    picture: Annotated[Path | None, typer.Option(help="File for the curve, as SVG.")] = None,
) -> None:
    """Replay recorded runs and score the context assembled before each tool call.

    Only the messages before a call reach the service, each run in a tenant of its own. `recall_tool` counts
    the values that only an earlier tool result gave, `recall_user` those a user gave; `reduction` is what the
    contexts save against the whole history.
    """
    if picture and budget:
        raise typer.BadParameter("a curve needs several budgets: leave --budget out", param_hint="--picture")
    scoring = loaded(definition or data.absolute().parent.parent / "argument_recall.py", "--definition")
    tokenizer()  # puts the vocabulary where the scoring program looks for it
    runs: list[list[Message]] = scoring.load_runs(data)[:limit]
    reported = budget or DEFAULT_BUDGETS.get(profile, DEFAULT_BUDGET)
    budgets = [budget] if budget else sorted({*CURVE_BUDGETS, reported})
    with running_service() as running:

        async def work(numbered: tuple[int, list[Message]]) -> list[Context]:
            async with fresh_tenant(running) as tenant:
                return await replay(tenant, *numbered, budgets, profile)

        numbered = list(enumerate(runs))
        per_run = asyncio.run(for_each(numbered, work, at_once=clients, what="replaying runs"))
    contexts = [context for of_run in per_run for context in of_run]
    marks = {each: _score(scoring, runs, contexts, each) for each in budgets}
    windows = {} if budget else {each: scoring.score(runs, scoring.window(each)) for each in WINDOW_BUDGETS}
    title = f"{data.name}, profile {profile}"
    if not as_json:
        console.print(_table(title, marks, windows))
    if picture:
        lines = {"assembled contexts": _points(marks), "a window of the newest messages": _points(windows)}
        picture.write_text(curve(title, lines), encoding="utf-8")
    if examples:
        chosen = [context for context in contexts if context.asked_tokens == reported]
        write_examples(examples, data.name, scoring, runs, chosen, count)
    line = {**marks[reported], "budget_tokens": reported, "profile": profile}
    if budget is None:
        line["curve"] = [{"budget_tokens": each, **marks[each]} for each in budgets]
    print(json.dumps(line))


def _score(
    scoring: ModuleType, runs: Sequence[list[Message]], contexts: Sequence[Context], budget: int
) -> dict[str, Any]:
    """The marks at one budget. The scoring program asks for contexts in the order in which they were made."""
    chosen = [context for context in contexts if context.asked_tokens == budget]
    texts = iter([context.text for context in chosen])
    scored: dict[str, Any] = scoring.score(runs, lambda before: next(texts))
    if scored["calls"] != len(chosen):
        raise AssertionError("the scoring program counts other calls than were replayed")
    marks = {name: round(scored[name], 4) for name in MARKS}
    return marks | {"above_budget": sum(context.granted_tokens > budget for context in chosen)}


def _points(marks: dict[int, dict[str, Any]]) -> list[Point]:
    return [(mark["reduction"], mark["recall_tool"], f"{budget:,}") for budget, mark in marks.items()]


def _table(title: str, marks: dict[int, dict[str, Any]], windows: dict[int, dict[str, Any]]) -> Table:
    table = Table("context", "budget", *HEADINGS, title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for budget, mark in marks.items():
        table.add_row("assembled", f"{budget:,}", *_cells(mark), f"{mark['above_budget']:,}")
    for budget, mark in windows.items():
        table.add_row("window", f"{budget:,}", *_cells(mark), "")
    return table


def _cells(mark: dict[str, Any]) -> list[str]:
    return [f"{mark[name]:,.3f}" if name in MARKS[:3] else f"{mark[name]:,.0f}" for name in MARKS]
