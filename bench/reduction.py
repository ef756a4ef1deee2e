"""What a context saves against replaying the whole transcript, and whether it still holds what matters."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from bench.harness import RefusedError, Running, console, fresh_tenant, running_service_at
from bench.scenario import BadScenarioError, Scenario, read_scenarios
from service.clock import SystemClock
from service.importers import body_of
from service.text.tokens import tokenizer

SCENARIOS = Path(__file__).parent / "scenarios"
SIZE_TOLERANCE = 0.02
"""How far a rebuilt transcript may be from the size of the source's, as a share of it."""
FENCE = "~~~~"


class SceneClock:
    """The clock of the service under test: the scenario's `now` while there is one, else the machine's."""

    def __init__(self) -> None:
        self.at: datetime | None = None

    def __call__(self) -> datetime:
        """Now."""
        return self.at or SystemClock()()


@dataclass(frozen=True, slots=True)
class Measured:
    """One scenario's outcome. Tokens are o200k_base; `answer` is None where the service refused."""

    scenario: Scenario
    legacy_tokens: int
    assembled_tokens: int
    missing: tuple[str, ...]
    leaked: tuple[str, ...]
    answer: dict[str, Any] | None = None
    refused: str | None = None

    @property
    def reduction(self) -> float:
        """1 - assembled / legacy; 0 without a context."""
        return 1 - self.assembled_tokens / self.legacy_tokens if self.answer else 0.0

    def missed(self) -> list[str]:
        """The marks that are missed, in words; empty when all is well."""
        source = self.scenario.source
        marks = []
        if self.refused:
            marks.append(f"refused: {self.refused}")
        if abs(self.legacy_tokens - source.legacy_tokens) > SIZE_TOLERANCE * source.legacy_tokens:
            marks.append(f"the transcript has {self.legacy_tokens:,} tokens, not {source.legacy_tokens:,}")
        if self.reduction < source.reduction:
            marks.append(f"reduction {self.reduction:.1%} is below {source.reduction:.1%}")
        marks += [f"missing: {fact}" for fact in self.missing]
        marks += [f"leaked: {fact}" for fact in self.leaked]
        return marks

    def summary(self) -> dict[str, Any]:
        """For the JSON line."""
        scenario = self.scenario
        return {
            "name": scenario.name,
            "legacy_tokens": self.legacy_tokens,
            "assembled_tokens": self.assembled_tokens,
            "budget_tokens": scenario.request.budget_tokens,
            "reduction": round(self.reduction, 4),
            "source_reduction": scenario.source.reduction,
            "required_facts": len(scenario.required),
            "required_found": len(scenario.required) - len(self.missing),
            "forbidden_facts": len(scenario.forbidden),
            "forbidden_found": len(self.leaked),
            "missed": self.missed(),
        }


def reduction(
    scenarios: Annotated[Path, typer.Option(help="Folder of scenario files (*.yaml).")] = SCENARIOS,
    examples: Annotated[Path | None, typer.Option(help="Folder for the contexts as Markdown.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON line alone.")] = False,
) -> None:
    """Measure contexts against whole transcripts, with facts that must be in and facts that must not.

    Events are recorded raw and the service makes the memories. Every section counts, platform rules included.
    Ends with code 1 when a scenario misses a mark: a required fact is missing, a forbidden one is there, the
    reduction is below the source's, or the transcript has not its size.
    """
    try:
        chosen = read_scenarios(scenarios)
    except BadScenarioError as bad:
        raise typer.BadParameter(str(bad), param_hint="--scenarios") from None
    clock = SceneClock()
    with running_service_at(clock) as running:
        measured = [asyncio.run(measure(running, clock, scenario)) for scenario in chosen]
    if examples:
        examples.mkdir(parents=True, exist_ok=True)
        for one in measured:
            (examples / f"{one.scenario.name}.md").write_text(_page(one), encoding="utf-8")
    if not as_json:
        console.print(_table(measured))
        for one in measured:
            for mark in one.missed():
                console.print(f"{one.scenario.name}: {mark}", markup=False)
    print(json.dumps(_line(measured)))
    if any(one.missed() for one in measured):
        raise typer.Exit(1)


async def measure(running: Running, clock: SceneClock, scenario: Scenario) -> Measured:
    """Record a scenario in a tenant of its own, assemble its context, and look for its facts."""
    count = tokenizer().count
    legacy = count(scenario.replay())
    async with fresh_tenant(running) as tenant:
        clock.at = scenario.now
        try:
            token: str | None = None
            for batch in scenario.batches():
                token = (await tenant.post("/v1/events", body_of(batch), token))["consistency_token"]
            body = scenario.request.model_dump_json(exclude_unset=True)
            answer = await tenant.post("/v1/assemble", body, token)
        except RefusedError as refused:
            why = f"{refused} {refused.problem.get('needed_tokens', '')}".strip()
            everything = tuple(fact.fact for fact in scenario.required)
            return Measured(scenario, legacy, 0, everything, (), refused=why)
        finally:
            clock.at = None
    text = "\n".join(section["text"] for section in answer["sections"])
    return Measured(
        scenario,
        legacy,
        max(answer["tokens"]["assembled"], count("".join(_texts(answer["request"])))),
        tuple(fact.fact for fact in scenario.required if not fact.among(text)),
        tuple(fact.fact for fact in scenario.forbidden if fact.among(text)),
        answer,
    )


def _texts(value: Any) -> list[str]:
    """Every string of a rendered request, so that the service's own count is not all there is."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _texts(one)]


def _line(measured: list[Measured]) -> dict[str, Any]:
    by_name = [one.summary() for one in measured]
    totals = ("required_facts", "required_found", "forbidden_facts", "forbidden_found")
    return {
        "scenarios": len(measured),
        "min_reduction": min(each["reduction"] for each in by_name),
        **{name: sum(each[name] for each in by_name) for name in totals},
        "by_name": by_name,
    }


def _table(measured: list[Measured]) -> Table:
    headings = ("transcript", "context", "saved", "source", "must be in", "must not")
    table = Table("scenario", *headings, title="Contexts beside whole transcripts")
    for column in table.columns[1:]:
        column.justify = "right"
    for each in (one.summary() for one in measured):
        table.add_row(
            each["name"],
            f"{each['legacy_tokens']:,}",
            f"{each['assembled_tokens']:,}",
            f"{each['reduction']:.1%}",
            f"{each['source_reduction']:.1%}",
            f"{each['required_found']} of {each['required_facts']}",
            f"{each['forbidden_found']} of {each['forbidden_facts']}",
        )
    return table


def _page(one: Measured) -> str:
    """A scenario's context for a person to read, with the verdict on every fact."""
    scenario = one.scenario
    lines = [
        f"# {scenario.title}",
        "",
        f"{one.legacy_tokens:,} tokens replayed, {one.assembled_tokens:,} in the context.",
    ]
    for section in one.answer["sections"] if one.answer else ():
        heading = f"## {section['section']} ({section['role']}, {section['tokens']:,} tokens)"
        lines += ["", heading, "", FENCE, section["text"].rstrip("\n"), FENCE]
    lines += ["", "## Must be in", ""]
    lines += [
        f"- {'NOT THERE: ' if fact.fact in one.missing else ''}{fact.fact}" for fact in scenario.required
    ]
    lines += ["", "## Must not be in", ""]
    lines += [f"- {'THERE: ' if fact.fact in one.leaked else ''}{fact.fact}" for fact in scenario.forbidden]
    if one.answer:
        lines += ["", "## What stayed out", ""]
        lines += [
            f"- {entry['count']:,} by `{entry['reason']}`: {entry['sentence']}"
            for entry in one.answer["omissions"]
        ]
    return "\n".join([*lines, ""])
