"""Scenarios are read, counted and judged as documented, and what must stay out does so at any budget."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr
from typer.testing import CliRunner

from bench.__main__ import main
from bench.harness import Running
from bench.reduction import SCENARIOS, Measured, SceneClock, measure
from bench.scenario import NEAR_CHARS, BadScenarioError, Fact, Scenario, read_scenarios
from service.embedded import Database
from service.main import serving
from service.model.events import MessageEvent
from service.settings import Settings
from service.text.tokens import tokenizer

SIX = read_scenarios(SCENARIOS)
SMALL: dict[str, Any] = {
    "title": "Two branches",
    "now": "2026-03-10T09:42:00Z",
    "source": {"legacy_tokens": 40, "assembled_tokens": 20, "reduction": 0.5},
    "events": [
        {"kind": "conversation"},
        {"kind": "participant", "participant_id": "ann", "participant_kind": "human"},
        {"kind": "participant", "participant_id": "bot", "participant_kind": "agent"},
        {"kind": "tool_call", "participant_id": "bot", "call_id": "c", "tool_name": "look",
         "arguments": {"at": 1}},
        {"kind": "tool_result", "call_id": "c", "result": '{"id": "doc_1"}'},
        {"kind": "fork", "branch_id": "side"},
        {"kind": "message", "branch": "side", "message_id": "s", "participant_id": "ann", "role": "user",
         "parts": [{"type": "text", "content": "aside"}]},
        {"kind": "message", "message_id": "m", "participant_id": "ann", "role": "user",
         "parts": [{"type": "text", "content": "and now?"}]},
    ],
    "request": {"conversation_id": "two", "participant_id": "bot", "budget_tokens": 400},
    "required": [{"fact": "the id", "strings": ["id", "doc_1"]}],
    "forbidden": [{"fact": "the aside", "strings": ["aside"]}],
}  # fmt: skip


def written(folder: Path, **changed: Any) -> Path:
    (folder / "small.yaml").write_text(yaml.safe_dump(SMALL | changed))
    return folder


def fact(*strings: str, unless: str | None = None) -> Fact:
    return Fact(fact="it", strings=list(strings), unless=unless)


def test_a_fact_needs_all_its_strings_near_each_other() -> None:
    assert fact("amount", "84").among("amount_eur 84, owner 17")
    assert not fact("amount", "84").among("amount_eur 12")
    assert not fact("amount", "84").among("amount" + " " * NEAR_CHARS + "84")


def test_a_value_is_not_found_inside_a_longer_one() -> None:
    assert not fact("12").among("1200 and 3.12e5 and doc_912")
    assert fact("12").among("(12)")


def test_a_forbidden_fact_is_harmless_beside_its_flag_only() -> None:
    stale = fact("84000", unless="[stale")
    assert not stale.among("amount 84000 [stale: check again]")
    assert stale.among("amount 84000")
    assert stale.among("amount 84000 [stale]" + " " * 2 * NEAR_CHARS + "amount 84000")


def test_the_replay_is_that_of_the_asking_branch(tmp_path: Path) -> None:
    [main_branch] = read_scenarios(written(tmp_path))
    assert main_branch.replay() == 'assistant: look({"at":1})\ntool look: {"id": "doc_1"}\nuser: and now?\n'
    [side] = read_scenarios(written(tmp_path, request=SMALL["request"] | {"branch_id": "side"}))
    assert side.replay() == 'assistant: look({"at":1})\ntool look: {"id": "doc_1"}\nuser: aside\n'


@pytest.mark.parametrize(
    "changed",
    [
        {"events": [{"kind": "unheard-of"}]},
        {"events": None},
        {"surprise": 1},
        {"request": {"conversation_id": "two"}},
        {"forbidden": [{"fact": "a typing error", "strings": ["asidee"]}]},
    ],
)
def test_a_bad_file_is_refused_by_its_name(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(BadScenarioError, match=r"small\.yaml"):
        read_scenarios(written(tmp_path, **changed))


def test_a_folder_without_scenarios_is_a_usage_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["reduction", "--scenarios", str(tmp_path)])
    assert result.exit_code == 2
    assert "--scenarios" in result.output


def test_every_missed_mark_is_told(tmp_path: Path) -> None:
    [scenario] = read_scenarios(written(tmp_path))
    assert Measured(scenario, 40, 20, (), (), {}).missed() == ["reduction 0.0% is below 50.0%"]
    assert Measured(scenario, 40, 20, (), (), {"sections": []}).missed() == []
    assert Measured(scenario, 44, 30, ("the id",), ("the aside",), {"sections": []}).missed() == [
        "the transcript has 44 tokens, not 40",
        "reduction 31.8% is below 50.0%",
        "missing: the id",
        "leaked: the aside",
    ]


@pytest.mark.parametrize("scenario", SIX, ids=lambda one: one.name)
def test_the_six_have_the_sources_size_and_enough_facts(scenario: Scenario) -> None:
    size = tokenizer().count(scenario.replay())
    assert size == pytest.approx(scenario.source.legacy_tokens, rel=0.02)
    assert len(scenario.required) >= 8
    assert len(scenario.forbidden) >= 4


@pytest.mark.parametrize("scenario", SIX, ids=lambda one: one.name)
def test_the_newest_message_does_not_hold_the_answer(scenario: Scenario) -> None:
    said = [one.event for one in scenario.events if isinstance(one.event, MessageEvent)]
    newest = said[-1].model_dump_json()
    assert sum(one.among(newest) for one in scenario.required) <= len(scenario.required) // 8


def test_the_six_are_those_of_the_source() -> None:
    figures = {(one.source.legacy_tokens, one.source.assembled_tokens, one.source.reduction) for one in SIX}
    assert figures == {
        (1020, 142, 0.861),
        (1905, 221, 0.884),
        (1051, 145, 0.862),
        (1008, 179, 0.822),
        (961, 161, 0.832),
        (1986, 197, 0.901),
    }


@pytest.fixture(scope="module")
def clock() -> SceneClock:
    return SceneClock()


@pytest.fixture(scope="module")
def running_at(
    neo4j_server: Database, clock: SceneClock, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service over HTTP whose clock the scenarios set."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    key = secrets.token_urlsafe(24)
    settings = Settings(data_folder=tmp_path_factory.mktemp("clocked"), port=port, admin_key=SecretStr(key))
    with serving(settings, neo4j_server, clock) as url:
        yield Running(url, key, neo4j_server.uri, neo4j_server.user, neo4j_server.password)


async def test_the_clock_stands_at_the_scenarios_now(
    running_at: Running, clock: SceneClock, tmp_path: Path
) -> None:
    [scenario] = read_scenarios(written(tmp_path))
    measured = await measure(running_at, clock, scenario)
    assert measured.answer is not None
    assert "2026-03-10" in {s["section"]: s["text"] for s in measured.answer["sections"]}["date"]
    assert (measured.missing, measured.leaked) == ((), ())


async def test_a_refusal_is_a_missed_mark_and_no_crash(
    running_at: Running, clock: SceneClock, tmp_path: Path
) -> None:
    request = SMALL["request"] | {"budget_tokens": 10}
    [scenario] = read_scenarios(written(tmp_path, request=request))
    measured = await measure(running_at, clock, scenario)
    assert "budget_too_small" in measured.missed()[0]
    assert measured.missing == ("the id",)


@pytest.mark.parametrize("scenario", SIX, ids=lambda one: one.name)
async def test_with_all_the_room_in_the_world_nothing_forbidden_enters(
    running_at: Running, clock: SceneClock, scenario: Scenario
) -> None:
    request = scenario.request.model_copy(update={"budget_tokens": 20_000, "profile": "thorough"})
    roomy = scenario.model_copy(update={"request": request})
    measured = await measure(running_at, clock, roomy)
    assert measured.answer is not None
    assert measured.leaked == ()
    assert measured.missing == ()
