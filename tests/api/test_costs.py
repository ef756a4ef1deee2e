"""A turn ends at its caps, a context says what a cache can keep, and the report sums what it all cost."""

from __future__ import annotations

from typing import Any

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    forked,
    opened,
    problem,
    ran,
    replied,
)
from served import Rows

CAPS = {"steps_max": 3, "tool_calls_max": 2, "output_tokens_max": 100}


async def switched_on(platform: Platform, settings: Json) -> None:
    made = await platform.send("POST", "/v1/configuration", {"settings": settings})
    assert made.status_code == 201, made.text
    path = f"/v1/configuration/{made.json()['version']}/activate"
    done = await platform.send("POST", path, {"expected_version": made.json()["version"] - 1})
    assert done.status_code == 200, done.text


async def checked(platform: Platform, by: str = "agent", branch: str = "main", **planned: int) -> Json:
    body: dict[str, Any] = {"conversation_id": "trip", "branch_id": branch, "participant_id": by}
    response = await platform.send("POST", "/v1/turns/check", body | {"planned": planned})
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_turn_goes_on_until_one_cap_is_in_the_way(platform: Platform) -> None:
    await switched_on(platform, {"caps": CAPS})
    await platform.recorded(*OPENING, agent("other"), asked("m0", "Before."), ran("r0", output_tokens=99))
    await platform.recorded(
        asked("m1", "Now."), ran("r1", output_tokens=40), called("c1"), ran("x", by="other")
    )
    found = await checked(platform, tool_calls=1, output_tokens=60)
    assert found["allowed"] and found["exceeded"] == []
    assert found["used"] == {"steps": 1, "tool_calls": 1, "output_tokens": 40}
    assert found["remaining"] == {"steps": 2, "tool_calls": 1, "output_tokens": 60}
    await platform.recorded(answered("c1", 1), ran("r2", output_tokens=30), called("c2"), ran("r3"))
    found = await checked(platform, tool_calls=1, output_tokens=31)
    assert not found["allowed"] and found["exceeded"] == ["steps", "tool_calls", "output_tokens"]
    assert (found["uncounted_runs"], found["remaining"]["steps"]) == (1, 0)
    await platform.recorded(asked("m2", "Go on."))
    assert (await checked(platform))["used"] == {"steps": 0, "tool_calls": 0, "output_tokens": 0}


async def test_an_agents_own_cap_counts_and_what_it_leaves_open_is_the_tenants(platform: Platform) -> None:
    clerk = {"caps": {"steps_max": 9}}
    await switched_on(platform, {"caps": {"steps_max": 0, "tool_calls_max": 5}, "agents": {"clerk": clerk}})
    await platform.recorded(*OPENING, agent("clerk-1", agent="clerk"), asked("m1", "Now."))
    assert (await checked(platform, by="clerk-1"))["caps"] == {
        "steps": 9,
        "tool_calls": 5,
        "output_tokens": None,
    }
    assert (await checked(platform))["exceeded"] == ["steps"]


async def test_a_decision_is_recorded_once_for_the_same_state_and_plan(
    platform: Platform, rows: Rows
) -> None:
    await switched_on(platform, {"caps": {"steps_max": 1}})
    await platform.recorded(*OPENING, asked("m1", "Now."), ran("r1"))
    first, again, other = await checked(platform), await checked(platform), await checked(platform, steps=0)
    assert first == again and first["decision_id"] != other["decision_id"]
    await platform.recorded(replied("m2", "Done."))
    assert (await checked(platform))["decision_id"] != first["decision_id"]
    [kept] = await rows(
        "MATCH (d:PolicyDecision {tenant_id: $t, uid: $u}) RETURN properties(d) AS d",
        t=platform.tenant_id,
        u=first["decision_id"],
    )
    decision = kept["d"]
    assert (decision["policy"], decision["allowed"], decision["reasons"]) == ("turn_caps", False, ["steps"])
    assert (decision["head"], decision["turn_seq"], decision["used"]) == (
        5,
        4,
        '{"steps": 1, "tool_calls": 0, "output_tokens": 0}',
    )
    assert len(await rows("MATCH (d:PolicyDecision {tenant_id: $t}) RETURN d", t=platform.tenant_id)) == 3


async def test_a_turn_is_counted_on_the_branch_that_is_asked(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Now."), ran("r1"), forked("one"), ran("r2"))
    await platform.recorded(ran("r3"), ran("r4"), branch="one")
    assert (await checked(platform))["used"]["steps"] == 2
    assert (await checked(platform, branch="one"))["used"]["steps"] == 3


async def test_a_check_of_what_is_not_there_or_not_ones_own_finds_nothing(
    platform: Platform, neighbour: Platform
) -> None:
    body = {"conversation_id": "trip", "participant_id": "agent"}
    problem(await platform.send("POST", "/v1/turns/check", body), 404, "not_found")
    assert neighbour.tenant_id != platform.tenant_id
    bad = await platform.send("POST", "/v1/turns/check", body | {"planned": {"steps": -1}})
    assert problem(bad, 422, "invalid_request")["errors"][0]["location"] == "planned.steps"


async def test_a_context_says_what_is_left_of_the_turn_where_something_is_capped(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Now."), ran("r1"))
    assert (await platform.assembled())["turn"] is None
    await switched_on(platform, {"caps": {"steps_max": 3}})
    turn = (await platform.assembled())["turn"]
    assert (turn["used"]["steps"], turn["remaining"]["steps"]) == (1, 2)


async def test_the_static_prefix_is_named_and_the_same_while_talk_goes_on(platform: Platform) -> None:
    await switched_on(platform, {"persona": "You are a clerk."})
    await platform.recorded(*OPENING, asked("m1", "Now."))
    tool = {"name": "find", "input_schema": {"type": "object", "properties": {"city": {}}}}
    first = await platform.assembled(tools=[tool])
    await platform.recorded(replied("m2", "Done."), asked("m3", "And then?"))
    second, bare = await platform.assembled(tools=[tool]), await platform.assembled()
    until = first["cache_until"]
    assert until == second["cache_until"] and until["sha256"] != bare["cache_until"]["sha256"]
    assert first["sections"][until["section_index"]]["section"] == "persona"
    assert bare["cache_until"]["tokens"] < until["tokens"] < first["tokens"]["assembled"]


async def test_anthropics_system_block_is_marked_for_the_cache_on_request(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Now."))
    plain = await platform.assembled(format="anthropic", provider="anthropic")
    marked = await platform.assembled(format="anthropic", provider="anthropic", cache=True)
    assert marked["request"]["system"] == [
        {"type": "text", "text": plain["request"]["system"], "cache_control": {"type": "ephemeral"}}
    ]
    assert marked["tokens"] == plain["tokens"]
    other = await platform.assembled(cache=True)
    assert other["request"]["messages"][0]["content"] == plain["request"]["system"]


async def _spent(platform: Platform) -> list[Json]:
    """Two conversations of one agent, with runs of a priced and of an unpriced model; their contexts."""
    prices = {"currency": "EUR", "models": {"large": {"input_price": 2.5, "output_price": 10}}}
    await switched_on(platform, {"prices": prices})
    made = []
    for at, runs in (("one", 1), ("two", 2)):
        await platform.recorded(opened(), agent("bot", agent="clerk"), *OPENING[1:], at=at)
        await platform.recorded(asked(f"m-{at}", "Now."), at=at)
        made.append(await platform.assembled(by="bot", at=at))
        spent = {"model": "large", "input_tokens": 1_000, "output_tokens": 200}
        await platform.recorded(*(ran(f"{at}-{n}", by="bot", **spent) for n in range(runs)), at=at)
    await platform.recorded(ran("free", model="small", input_tokens=7), at="two")
    return made


async def report(platform: Platform, **query: Any) -> Json:
    return await platform.read("/v1/costs", conversation_id=None, **query)


async def test_costs_are_summed_by_conversation_agent_and_tenant(platform: Platform) -> None:
    contexts = await _spent(platform)
    assembled = [one["tokens"]["assembled"] for one in contexts]
    found = await report(platform, group_by="conversation")
    assert (found["currency"], found["next_cursor"]) == ("EUR", None)
    assert [(one["name"], one["assembled_tokens"], one["runs"], one["cost"]) for one in found["groups"]] == [
        ("one", assembled[0], 1, 0.0045),
        ("two", assembled[1], 3, 0.009),
    ]
    two = found["groups"][1]
    assert (two["unpriced_runs"], two["uncounted_runs"], two["input_tokens"]) == (1, 1, 2_007)
    assert [(one["model"], one["cost"]) for one in two["models"]] == [("large", 0.009), ("small", None)]
    by_agent = await report(platform, group_by="agent")
    assert [(one["name"], one["assemblies"], one["runs"]) for one in by_agent["groups"]] == [
        ("agent", 0, 1),
        ("clerk", 2, 3),
    ]
    [whole] = (await report(platform))["groups"]
    assert (whole["name"], whole["assemblies"], whole["cost"]) == (platform.tenant_id, 2, 0.0135)
    assert whole["full_transcript_tokens"] - whole["assembled_tokens"] == whole["saved_tokens"]
    assert whole["prefix_tokens"] == sum(one["cache_until"]["tokens"] for one in contexts)


async def test_the_report_comes_in_pages_of_the_same_time(platform: Platform) -> None:
    await _spent(platform)
    first = await report(platform, group_by="conversation", limit=1)
    await platform.recorded(ran("late", model="large", input_tokens=10**6), at="two")
    rest = await report(
        platform, group_by="conversation", limit=1, cursor=first["next_cursor"], since=first["since"]
    )
    assert [one["name"] for one in (*first["groups"], *rest["groups"])] == ["one", "two"]
    assert (rest["until"], rest["next_cursor"], rest["groups"][0]["runs"]) == (first["until"], None, 3)


async def test_a_report_of_another_time_or_tenant_has_nothing_of_it(
    platform: Platform, neighbour: Platform
) -> None:
    await _spent(platform)
    old = {"since": "2020-01-01T00:00:00Z", "until": "2020-06-01T00:00:00Z"}
    assert (await report(platform, **old))["groups"] == []
    assert [one["name"] for one in (await report(neighbour))["groups"]] == [neighbour.tenant_id]
    assert (await report(neighbour))["groups"][0]["runs"] == 1


@pytest.mark.parametrize(
    ("query", "location"),
    [
        ("since=2020-01-01T00:00:00Z", "since"),
        ("since=2020-02-01T00:00:00Z&until=2020-01-01T00:00:00Z", "since"),
        ("until=0001-01-01T00:00:00Z", "since"),
        ("group_by=mood", "group_by"),
        ("cursor=7", "cursor"),
    ],
)
async def test_a_report_that_makes_no_sense_is_refused(platform: Platform, query: str, location: str) -> None:
    refused = await platform.send("GET", f"/v1/costs?{query}")
    assert problem(refused, 422, "invalid_request")["errors"][0]["location"] == location
