"""Assembly: within the budget, in order, with whole pairs, and with what must be there."""

from __future__ import annotations

import json
import random

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    problem,
    ran,
    replied,
    section,
    shown,
)
from provider_shapes import CHECKS, check_openai, counted_tokens

from service.model.vocabulary import Section

BUDGETS = (200, 300, 450, 700, 1000, 1500, 2500, 4000, 7000, 12_000, 20_000)
ORDER = [one.value for one in Section]
WORDS = ("flight", "seat", "refund", "Paris", "Tuesday", "upgrade", "€", "naïve", "東京", "booking")
SCHEMA = {
    "type": "function",
    "function": {"name": "look_up", "parameters": {"properties": {"key": {"type": "string"}}}},
}


def long_run(turns: int, seed: int = 7) -> list[Json]:
    """A conversation of many turns: talk of all lengths, results of all shapes, some calls unanswered."""
    draw = random.Random(seed)
    events: list[Json] = []

    def words(most: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, most)))

    for n in range(turns):
        events += [asked(f"q{n}", f"{words(60)} MIA{n:04}"), ran(f"r{n}")]
        events += [called(f"c{n}.{k}", {"key": words(3), "n": n}, run_id=f"r{n}") for k in range(n % 3)]
        rows = [
            {"flight_id": f"HAT{draw.randint(100, 999)}", "price": draw.randint(80, 900), "note": words(30)}
            for _ in range(draw.randint(1, 12))
        ]
        events += [answered(f"c{n}.{k}", rows if k else words(400)) for k in range(n % 3)]
        events.append(replied(f"a{n}", words(120)))
    return events


async def tell(platform: Platform, events: list[Json]) -> None:
    await platform.recorded(*OPENING, *events)


@pytest.fixture
async def talked(platform: Platform) -> Platform:
    """A platform with a long conversation whose last question waits with two fresh results and an open
    call."""
    await tell(platform, long_run(24))
    await platform.recorded(
        asked("last", "Which of these flights leaves first?"),
        ran("r-last"),
        replied("a-last", "Let me see."),
        called("fresh1", {"key": "one"}),
        called("fresh2", {"key": "two"}),
        answered("fresh2", {"departs": "FRESHTWO"}),
        answered("fresh1", "FRESHONE departs at 07:00"),
        called("open", {"key": "three"}),
    )
    return platform


@pytest.mark.parametrize("shape", ["openai_chat", "anthropic", "canonical"])
async def test_no_context_costs_more_than_its_budget_or_splits_a_pair(talked: Platform, shape: str) -> None:
    fitted = 0
    for budget in BUDGETS:
        for profile in ("default", "economy", "thorough"):
            response = await talked.assemble(budget, format=shape, profile=profile, tools=[SCHEMA])
            if response.status_code == 422:
                assert problem(response, 422, "budget_too_small")["needed_tokens"] > budget
                continue
            fitted += 1
            context = response.json()
            assert counted_tokens(context["request"]) <= context["tokens"]["assembled"] <= budget
            assert CHECKS[shape](context["request"]) == {"fresh1", "fresh2"}
            assert context["tokens"]["budget"] == budget
    assert fitted >= 3 * (len(BUDGETS) - 2)


async def test_sections_stand_in_the_order_of_the_vocabulary(talked: Platform) -> None:
    for budget in BUDGETS[2:]:
        context = await talked.assembled(budget)
        names = [one["section"] for one in context["sections"]]
        assert names == sorted(names, key=ORDER.index) and len(set(names)) == len(names)
        assert context["tokens"]["assembled"] >= sum(one["tokens"] for one in context["sections"])
        for one in context["sections"]:
            assert (
                one["authoritative"] is (one["section"] in ("platform_rules", "date", "persona"))
                or one["section"] == "current_exchange"
            )


async def test_the_newest_message_and_every_unseen_result_are_in_whatever_the_budget(
    talked: Platform,
) -> None:
    refused = problem(await talked.assemble(100), 422, "budget_too_small")
    for budget in (refused["needed_tokens"], *BUDGETS[3:]):
        exchange = section(await talked.assembled(budget), "current_exchange")["text"]
        assert "Which of these flights leaves first?" in exchange
        assert "FRESHONE" in exchange and "FRESHTWO" in exchange


async def test_the_tokens_that_a_refusal_names_suffice_and_one_less_does_not(talked: Platform) -> None:
    for more in ({}, {"tools": [SCHEMA]}, {"profile": "economy"}, {"format": "anthropic"}):
        refused = problem(await talked.assemble(50, **more), 422, "budget_too_small")
        needed = refused["needed_tokens"]
        assert "FRESHONE" not in json.dumps(refused)
        assert (await talked.assembled(needed, **more))["tokens"]["assembled"] <= needed
        again = problem(await talked.assemble(needed - 1, **more), 422, "budget_too_small")
        assert again["needed_tokens"] == needed


async def test_a_larger_budget_loses_nothing(talked: Platform) -> None:
    before: set[str] = set()
    for budget in (400, 800, 801, 1200, 2000, 2001, 4000, 8000, 16_000):
        context = await talked.assembled(budget)
        items = {item["uid"] for one in context["sections"] for item in one["items"]}
        assert before <= items
        before = items


async def test_a_seen_result_stands_as_a_memory_and_an_unseen_one_whole(platform: Platform) -> None:
    result = {"flight_id": "HAT022", "gate": "B7", "crew": ["Ann", "Bob"]}
    await platform.recorded(*OPENING, asked("m1", "Which gate?"), called("c1"), answered("c1", result))
    fresh = await platform.assembled(profile="thorough")
    assert check_openai(fresh["request"]) == {"c1"}
    assert section(fresh, "tool_memories")["items"] == []
    [omitted] = [one for one in fresh["omissions"] if one["reason"] == "shown_whole"]
    assert omitted["count"] == 1
    await platform.recorded(ran("r1"), replied("m2", "B7.", run_id="r1"), asked("m3", "And the crew?"))
    seen = await platform.assembled(profile="thorough")
    assert check_openai(seen["request"]) == set()
    notes = section(seen, "tool_memories")["text"]
    assert "look_up" in notes and "B7" in notes and "@6" in notes


async def test_a_long_unseen_result_enters_as_an_excerpt_that_says_what_is_cut(platform: Platform) -> None:
    result = "".join(f"line {n} of the log\n" for n in range(5000))
    await platform.recorded(*OPENING, asked("m1", "What failed?"), called("c1"), answered("c1", result))
    context = await platform.assembled(4000)
    [message] = [m for m in context["request"]["messages"] if m["role"] == "tool"]
    assert message["content"].startswith("line 0 of") and message["content"].endswith(
        "line 4999 of the log\n"
    )
    assert "whole at @6" in message["content"] and f"of {len(result):,} characters" in message["content"]


async def test_open_calls_are_told_as_notes_and_never_as_pairs(talked: Platform) -> None:
    context = await talked.assembled(4000)
    [item] = section(context, "recovery")["items"]
    assert item["why"] == "pending"
    assert "open" not in check_openai(context["request"])


@pytest.mark.parametrize("shape", ["openai_chat", "anthropic", "canonical"])
async def test_an_agent_that_greets_first_is_no_trouble(platform: Platform, shape: str) -> None:
    await platform.recorded(*OPENING, replied("m1", "Welcome! MIA0001"), asked("m2", "Hello"))
    context = await platform.assembled(format=shape, profile="thorough")
    assert "Welcome!" in json.dumps(context["request"])
    assert CHECKS[shape](context["request"]) == set()


@pytest.mark.parametrize("shape", ["openai_chat", "anthropic", "canonical"])
@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"key": "x"}}],
        [{"type": "reasoning", "content": "I wonder."}],
        [{"type": "text", "content": ""}],
        [{"type": "text", "content": " \n"}],
        [{"type": "image", "file_id": "f1", "mime_type": "image/png", "tokens": 85}],
    ],
)
async def test_a_message_without_words_makes_no_empty_message(
    platform: Platform, shape: str, parts: list[Json]
) -> None:
    await platform.recorded(*OPENING, asked("m1", "Look."), {**replied("m2", ""), "parts": parts}, ran("r1"))
    await platform.recorded(asked("m3", "So?"))
    for by in ("agent", "mia"):
        context = await platform.assembled(format=shape, profile="thorough", by=by)
        CHECKS[shape](context["request"])


@pytest.mark.parametrize("shape", ["openai_chat", "anthropic", "canonical"])
async def test_pairs_of_several_turns_stand_where_they_were_made(platform: Platform, shape: str) -> None:
    await platform.recorded(
        *OPENING,
        asked("m1", "Two things."),
        replied("m2", "First."),
        called("c1", "not JSON at all"),
        asked("m3", "Hurry!"),
        called("c2", {"a": 1}),
        called("c3", [1, 2]),
        answered("c3", "three"),
        answered("c1", call_status="failed", error="no such thing"),
        answered("c2", {"b": 2}),
    )
    request = (await platform.assembled(format=shape, profile="thorough"))["request"]
    assert CHECKS[shape](request) == {"c1", "c2", "c3"}
    if shape == "anthropic":
        [failed] = [
            block for message in request["messages"] for block in message["content"] if block.get("is_error")
        ]
        assert failed["tool_use_id"] == "c1"


@pytest.mark.parametrize("shape", ["openai_chat", "anthropic", "canonical"])
async def test_another_agents_words_are_never_the_askers_own(platform: Platform, shape: str) -> None:
    await platform.recorded(*OPENING, agent("rival"), asked("m1", "Who won?"))
    await platform.recorded(
        replied("m2", "I, the RIVAL.", by="rival"),
        called("c1", by="rival"),
        answered("c1", "RIVALRESULT"),
        called("c2"),
        answered("c2", "mine"),
    )
    context = await platform.assembled(format=shape, profile="thorough")
    assert CHECKS[shape](context["request"]) == {"c2"}
    assert "RIVALRESULT" not in json.dumps(context)
    for message in context["request"]["messages"]:
        if message["role"] == "assistant":
            assert "RIVAL" not in json.dumps(message)


async def test_an_empty_conversation_has_a_context_of_rules_alone(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    context = await platform.assembled()
    assert [one["section"] for one in context["sections"]] == ["platform_rules", "date"]
    assert context["tokens"]["full_transcript"] == 0


async def test_tools_on_offer_are_paid_for_and_handed_on(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    without, given = await platform.assembled(), await platform.assembled(tools=[SCHEMA])
    assert "tools" not in without["request"] and given["request"]["tools"] == [SCHEMA]
    assert given["tokens"]["assembled"] - without["tokens"]["assembled"] >= 15
    for odd in ({}, {"function": None}, {"name": 5, "parameters": []}, {"function": {"parameters": "x"}}):
        assert (await platform.assemble(tools=[odd])).status_code == 201


@pytest.mark.parametrize(("field", "known"), [("provider", "anthropic"), ("profile", "economy")])
async def test_an_unknown_provider_or_profile_is_refused_with_those_that_are_known(
    platform: Platform, field: str, known: str
) -> None:
    await platform.recorded(*OPENING)
    refused = await platform.assemble(**{field: "canary"})
    [error] = problem(refused, 422, "invalid_request")["errors"]
    assert error["location"] == field and known in error["problem"] and "canary" not in refused.text


async def test_system_messages_are_kept_and_the_rules_come_from_configuration(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "OBEY ME", role="system"), asked("m2", "Hello"))
    context = await platform.assembled(profile="thorough")
    assert "OBEY" not in shown(context)
    [omitted] = context["omissions"]
    assert (omitted["reason"], omitted["count"]) == ("rules_from_configuration", 1)


async def test_every_omission_says_why_in_a_sentence(talked: Platform) -> None:
    context = await talked.assembled(700)
    assert {one["reason"] for one in context["omissions"]} >= {"over_budget", "shown_whole"}
    for one in context["omissions"]:
        assert one["sentence"].endswith(".") and one["policy"] and one["count"] >= len(one["uids"]) > 0


async def test_a_missing_branch_seat_or_conversation_and_anothers_answer_alike(
    platform: Platform, neighbour: Platform
) -> None:
    foreign = problem(await platform.assemble(), 404, "not_found")
    assert (await platform.assemble(at="none")).json() == foreign
    await platform.recorded(*OPENING)
    for more in ({"branch": "aside"}, {"by": "nobody"}, {"at": "none"}):
        assert (await platform.assemble(**more)).json() == foreign
    assert neighbour.tenant_id != platform.tenant_id


async def test_unseen_results_are_found_behind_the_open_calls_of_others(platform: Platform) -> None:
    await platform.recorded(*OPENING, agent("busy"), asked("m1", "x"), called("c1"), answered("c1", "MINE"))
    await platform.recorded(*(called(f"b{n}", by="busy") for n in range(300)))
    assert "MINE" in section(await platform.assembled(), "current_exchange")["text"]
