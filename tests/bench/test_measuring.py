"""The benches' own arithmetic: contexts meet their calls, examples are readable, the talk is valid."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from bench import argument_recall
from bench.__main__ import main
from bench.examples import write_examples
from bench.harness import for_each
from bench.latency import Times
from bench.replay import Context, call_places
from bench.talk import opening, steps_of_turn
from service.model.events import Batch

CALL = {"id": "c", "type": "function", "function": {"name": "book", "arguments": '{"train_id": "T0042"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": "Book the train."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "done"},
    {"role": "assistant", "content": None, "tool_calls": [CALL | {"id": "d"}]},
]


def context(at: int, text: str = "words") -> Context:
    section = {"role": "user", "tokens": 3, "items": []}
    sections = [section | {"section": "platform_rules", "text": "RULES"}]
    sections.append(section | {"section": "tool_memories", "text": text})
    tokens = {"assembled": 3, "full_transcript": 6, "encoding": "o200k_base", "saved_share": 0.5}
    omissions = [{"reason": "over_budget", "count": 2, "sentence": "It ranked below."}]
    return Context(0, at, 10, 10, {"sections": sections, "tokens": tokens, "omissions": omissions})


def scoring() -> ModuleType:
    """A scoring program of the shape that is read from beside the data."""
    program = ModuleType("scoring")

    def score(runs: list[list[dict[str, Any]]], context_for_call: Any) -> dict[str, float]:
        texts = [context_for_call(run[:at]) for run in runs for at in call_places(run)]
        found = sum("T0042" in text for text in texts)
        return dict.fromkeys(argument_recall.MARKS, float(found)) | {"calls": len(texts)}

    program.score = score  # type: ignore[attr-defined]
    program.needed = lambda messages, at: (set(), {"T0042": {"train_id"}})  # type: ignore[attr-defined]
    program.places = lambda text, value: iter(())  # type: ignore[attr-defined]
    program.labelled = lambda text, value, labels: value in text  # type: ignore[attr-defined]
    return program


def test_the_calls_of_a_run_are_its_assistant_messages_with_calls() -> None:
    assert call_places(MESSAGES) == [2, 4]


def test_platform_rules_are_not_scored() -> None:
    assert context(2).text == "words"


def test_each_call_is_scored_with_the_context_made_for_it() -> None:
    contexts = [context(2, "train_id T0042"), context(4)]
    assert argument_recall._score(scoring(), [MESSAGES], contexts, 10)["recall_tool"] == 1.0


def test_a_missing_context_is_noticed() -> None:
    with pytest.raises((AssertionError, StopIteration, RuntimeError)):
        argument_recall._score(scoring(), [MESSAGES], [context(2)], 10)


def test_an_example_shows_context_omissions_call_and_what_is_missing(tmp_path: Path) -> None:
    write_examples(tmp_path, "trains.json", scoring(), [MESSAGES], [context(2), context(4, "T0042")], 2)
    lacking, holding = (path.read_text() for path in sorted(tmp_path.iterdir()))
    assert "### tool_memories (user, 3 tokens)" in lacking
    assert "- 2 by `over_budget`: It ranked below." in lacking
    assert 'book({"train_id": "T0042"})' in lacking
    assert "holds 0. Not there: `T0042`." in lacking
    assert "holds 1." in holding


def test_examples_are_spread_over_all_calls(tmp_path: Path) -> None:
    runs = [MESSAGES] * 10
    contexts = [
        Context(run, at, 10, 10, context(at).answer) for run in range(10) for at in call_places(MESSAGES)
    ]
    write_examples(tmp_path, "trains.json", scoring(), runs, contexts, 5)
    assert [path.stem.split("-")[2] for path in sorted(tmp_path.iterdir())] == [
        "000",
        "002",
        "004",
        "006",
        "008",
    ]


def test_work_is_bounded_and_answers_in_order() -> None:
    under_way = most = 0

    async def work(item: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(10 - item):
            await asyncio.wait([asyncio.ensure_future(asyncio.to_thread(int))])
        under_way -= 1
        return item * 2

    results = asyncio.run(for_each(list(range(10)), work, at_once=3, what="doubling"))
    assert results == [item * 2 for item in range(10)]
    assert most == 3


def test_the_talk_is_the_same_every_time_and_valid() -> None:
    said = [steps_of_turn(turn) for turn in range(20)]
    assert said == [steps_of_turn(turn) for turn in range(20)]
    assert [len(steps) for steps in said[:4]] == [2, 4, 2, 4]
    assert Batch(conversation_id="talk", events=opening() + [e for steps in said for s in steps for e in s])


def test_ratios_are_medians_over_the_bare_drivers_read_and_write() -> None:
    times = Times(
        assemble=[0.012, 0.010, 0.500],
        record=[0.006, 0.006, 0.006],
        bare_read=[0.002, 0.002, 0.009],
        bare_write=[0.003, 0.003, 0.003],
        rows=[10, 12, 14],
        events=[1, 2, 3],
        tokens=[100, 100, 100],
    )
    summary = times.summary()
    assert (summary["assemble_ratio"], summary["record_ratio"]) == (2.4, 1.2)
    assert (summary["assemble_p50_ms"], summary["answer_rows"]) == (12.0, 12)


@pytest.mark.parametrize("command", [[], ["argument_recall"], ["latency"]])
def test_help_teaches_every_command(command: list[str]) -> None:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    assert "--json" in result.output


def test_a_missing_scoring_program_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["argument_recall", "--data", str(tmp_path / "eval" / "set" / "x.json")]
    )
    assert result.exit_code == 2
    assert "--definition" in result.output
