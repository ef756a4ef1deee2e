"""Configuration: versions are checked when they are made, govern once they are switched on, and explain
themselves."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    opened,
    problem,
    ran,
    replied,
    section,
    shown,
)

from service.model.configuration import RETAINED

CANARY = "CANARY of the settings"
NOISE = {"policies": {"tools": {"ping": {"promoted": False}}}}


async def kept_or_refused(platform: Platform, settings: Json) -> httpx.Response:
    """The answer to a new version."""
    return await platform.send("POST", "/v1/configuration", {"settings": settings})


async def kept(platform: Platform, settings: Json) -> int:
    """The number of a new version."""
    made = await kept_or_refused(platform, settings)
    assert made.status_code == 201, made.text
    return int(made.json()["version"])


async def talked(platform: Platform) -> None:
    """Two tools were called and seen."""
    await platform.recorded(*OPENING, asked("m1", "Which seat is mine, and does the system answer?"))
    await platform.recorded(
        called("c1", tool="ping"),
        answered("c1", {"state": "PONGWORD"}),
        called("c2", tool="find_seat"),
        answered("c2", {"seat": "12A"}),
        ran("r1"),
    )


@pytest.mark.parametrize(
    ("settings", "location", "told"),
    [
        ({"profile": CANARY}, "settings.profile", "must be one of"),
        ({"agents": {"clerk": {"profile": CANARY}}}, "settings.agents.?.profile", "must be one of"),
        (
            {"agents": {"clerk": {"packing": {"thrift": CANARY}}}},
            "settings.agents.?.packing.thrift",
            "num",
        ),
        (
            {"agents": {"a": {"packing": {"window_weight": 11}}}},
            "settings.agents.?.packing.window_weight",
            "10",
        ),
        (
            {"policies": {"tools": {"ping": {"stale_after_minutes": 0}}}},
            "settings.policies.tools.?.stale_after_minutes",
            "at least 1",
        ),
        ({"policies": {"repair_attempts_max": 0}}, "settings.policies.repair_attempts_max", "at least 1"),
        ({"policies": {"exact": {"bytes_max": -1}}}, "settings.policies.exact.bytes_max", "at least 0"),
        ({"policies": {CANARY: 1}}, "settings.policies.?", "not a field"),
        (
            {"retention": {"Message": {"action": CANARY}}},
            "settings.retention.Message.action",
            "must be one of",
        ),
        ({"retention": {"Message": {"action": "delete"}}}, "settings.retention.Message", "after_days"),
        (
            {"retention": {"Message": {"action": "keep", "after_days": 3}}},
            "settings.retention.Message",
            "after_days",
        ),
        ({"retention": {"Event": {"action": "keep"}}}, "settings.retention.?", "must be one of"),
        ({"retention": {"Message": {"action": "offload", "after_days": 3}}}, "settings", "retention.Message"),
        ({"providers": {f"p{n}": {} for n in range(65)}}, "settings.providers", "at most 64"),
    ],
)
async def test_a_bad_setting_is_named_and_not_repeated(
    platform: Platform, settings: Json, location: str, told: str
) -> None:
    refused = await kept_or_refused(platform, settings)
    [error] = problem(refused, 422, "invalid_request")["errors"]
    assert error["location"] == location and told in error["problem"]
    assert CANARY not in refused.text
    assert (await platform.send("GET", "/v1/configuration")).json() == []


async def test_a_wrong_label_of_retention_is_told_those_that_retention_may_name(platform: Platform) -> None:
    for label in ("Event", "Letter"):
        refused = await kept_or_refused(platform, {"retention": {label: {"action": "keep"}}})
        [error] = problem(refused, 422, "invalid_request")["errors"]
        assert error["location"] == "settings.retention.?"
        assert error["problem"] == f"must be one of {', '.join(RETAINED)}"


async def test_settings_of_more_than_a_million_characters_are_refused(platform: Platform) -> None:
    agents = {f"a{n}": {"persona": "x" * 90_000} for n in range(12)}
    told = problem(await kept_or_refused(platform, {"agents": agents}), 413, "limit_exceeded")
    assert (told["maximum"], told["unit"]) == (1_000_000, "characters")
    agents.popitem()
    assert await kept(platform, {"agents": agents}) == 1


async def test_a_wrong_provider_is_told_ten_names_and_how_many_more_there_are(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", "x"))
    await platform.configured({"providers": {f"p{n:02}": {} for n in range(30)}})
    asks = {"conversation_id": "trip", "participant_id": "agent", "provider": CANARY}
    for refused in (
        await platform.assemble(provider=CANARY),
        await platform.send("POST", "/v1/artifacts/c1/rehydrate", asks),
    ):
        [error] = problem(refused, 422, "invalid_request")["errors"]
        ten = ", ".join(f"p{n:02}" for n in range(10))
        assert error == {"location": "provider", "problem": f"must be one of {ten} and 20 more"}


async def test_the_defaults_can_be_switched_on_again(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    number = await platform.configured({"persona": "HOUSEWORD"})
    assert "HOUSEWORD" in shown(await platform.assembled())
    path = "/v1/configuration/0/activate"
    problem(await platform.send("POST", path, {"expected_version": number + 1}), 409, "conflict")
    back = await platform.send("POST", path, {"expected_version": number})
    assert back.json() == {"version": 0}
    assert "HOUSEWORD" not in shown(await platform.assembled())
    [listed] = (await platform.send("GET", "/v1/configuration")).json()
    assert (listed["version"], listed["active"]) == (number, False)


async def test_a_version_that_was_never_switched_on_is_listed(platform: Platform) -> None:
    number = await kept(platform, {})
    [listed] = (await platform.send("GET", "/v1/configuration")).json()
    assert (listed["version"], listed["active"]) == (number, False)


async def test_a_version_is_read_back_with_its_defaults_filled_in(platform: Platform) -> None:
    retention = {"Message": {"action": "redact", "after_days": 90}, "ToolCall": {"action": "keep"}}
    number = await kept(platform, {**NOISE, "retention": retention, "agents": {"clerk": {"persona": "Hi."}}})
    read = (await platform.send("GET", f"/v1/configuration/{number}")).json()
    assert read["retention"]["Message"] == retention["Message"]
    assert read["policies"]["tools"]["ping"]["promoted"] is False
    assert read["policies"]["repair_attempts_max"] == 3
    assert (read["profile"], read["agents"]["clerk"]["persona"]) == ("default", "Hi.")


async def test_a_tool_that_is_kept_out_of_memory_stays_readable_and_is_explained(platform: Platform) -> None:
    await talked(platform)
    before = await platform.assembled(profile="thorough")
    number = await platform.configured(NOISE)
    after = await platform.assembled(profile="thorough")
    assert "PONGWORD" in shown(before) and "PONGWORD" not in shown(after) and "12A" in shown(after)
    [omission] = after["omissions"]
    assert (omission["reason"], omission["policy"], omission["count"]) == ("not_promoted", "promotion", 1)
    why = (
        await platform.send("GET", f"/v1/assemblies/{after['assembly_id']}/why-not/{omission['uids'][0]}")
    ).json()
    assert (why["reason"], why["settings"]["configuration_number"]) == ("not_promoted", number)
    body = {"conversation_id": "trip", "participant_id": "agent", "provider": "local"}
    whole = await platform.send("POST", "/v1/artifacts/c1/rehydrate", body)
    assert "PONGWORD" in whole.json()["content"]


async def test_a_result_that_no_run_has_seen_is_shown_whole_whatever_memory_keeps(platform: Platform) -> None:
    await platform.configured(NOISE)
    await platform.recorded(
        *OPENING, asked("m1", "Ping."), called("c1", tool="ping"), answered("c1", "PONGWORD")
    )
    assert "PONGWORD" in shown(await platform.assembled())


async def test_a_change_is_foreseen_and_leaves_what_was_assembled_before_alone(platform: Platform) -> None:
    await talked(platform)
    old = await platform.assembled(profile="thorough")
    explained = await platform.explained(old["assembly_id"])
    number = await kept(platform, NOISE)
    foreseen = (await platform.send("POST", f"/v1/configuration/{number}/what-would-change")).json()
    [change] = foreseen["assemblies"]
    assert foreseen["changed"] == 1 and change["omissions_replayed"] == {"not_promoted": 1}
    assert len(change["diff"]["tool_memories"]["only_recorded"]) == 1

    done = await platform.send("POST", f"/v1/configuration/{number}/activate", {"expected_version": 0})
    assert done.status_code == 200
    new = await platform.assembled(profile="thorough")
    assert new["policy_version"] != old["policy_version"]
    assert await platform.explained(old["assembly_id"]) == explained
    for context in (old, new):
        replayed = (await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay", {})).json()
        assert replayed["same"] and replayed["reproducible"], replayed


async def test_an_agents_profile_and_persona_govern_its_own_contexts_only(platform: Platform) -> None:
    clerk: dict[str, Any] = {
        "profile": "economy",
        "persona": "CLERKWORD",
        "packing": {"request_tokens_max": 60},
    }
    await platform.configured({"persona": "HOUSEWORD", "profile": "thorough", "agents": {"clerk": clerk}})
    seats = (agent("one", agent="clerk"), agent("two", agent="pilot"), agent("clerk"))
    await platform.recorded(opened(), OPENING[1], *seats, asked("m1", "word " * 500))
    contexts = {seat: await platform.assembled(4000, by=seat) for seat in ("one", "two", "clerk")}
    explained = {seat: await platform.explained(one["assembly_id"]) for seat, one in contexts.items()}
    for seat in ("one", "clerk"):
        assert section(contexts[seat], "persona")["text"] == "CLERKWORD"
        assert (explained[seat]["profile"], explained[seat]["profile_source"]) == ("economy", "agent")
        assert explained[seat]["agent"] == "clerk" and contexts[seat]["tokens"]["assembled"] < 400
    assert section(contexts["two"], "persona")["text"] == "HOUSEWORD"
    assert (explained["two"]["profile"], explained["two"]["profile_source"]) == ("thorough", "tenant")
    assert "agent" not in explained["two"] and contexts["two"]["tokens"]["assembled"] > 500


async def test_a_profile_that_the_request_names_counts_as_it_is_also_when_replayed(
    platform: Platform,
) -> None:
    clerk = {"profile": "economy", "packing": {"request_tokens_max": 60}}
    await platform.configured({"agents": {"agent": clerk}})
    await platform.recorded(*OPENING, asked("m1", "word " * 500))
    by_agent = await platform.assembled(4000)
    by_request = await platform.assembled(4000, profile="economy")
    assert by_agent["tokens"]["assembled"] < 400 < by_request["tokens"]["assembled"]
    for context in (by_agent, by_request):
        replayed = (await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay", {})).json()
        assert replayed["same"], replayed


async def test_a_tools_age_and_its_recheck_tool_hold_for_results_that_say_nothing(platform: Platform) -> None:
    mail = {"freshness": "volatile", "stale_after_minutes": 5, "recheck_tool": "count_mail"}
    await platform.recorded(*OPENING, asked("m1", "How many mails?"), called("c1", tool="read_mail"))
    await platform.recorded(
        answered("c1", {"unread": "MAILWORD"}, occurred_at="2020-01-01T00:00:00Z"),
        ran("r1"),
        replied("m2", "Some."),
        asked("m3", "And now?"),
    )
    before = await platform.assembled(profile="thorough")
    await platform.configured({"policies": {"tools": {"read_mail": mail}}})
    after = await platform.assembled(profile="thorough")
    assert "MAILWORD" in shown(before) and "MAILWORD" not in shown(after)
    assert "recheck with count_mail" in shown(after)
    [omission] = after["omissions"]
    why = (
        await platform.send("GET", f"/v1/assemblies/{after['assembly_id']}/why-not/{omission['uids'][0]}")
    ).json()
    assert (why["reason"], why["settings"]["freshness"]) == ("stale_volatile", "volatile")
    assert why["settings"]["stale_after"].startswith("2020-01-01T00:05")
