"""Assembly: who may see an item, and to which provider it may go."""

from __future__ import annotations

import json

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    human,
    problem,
    ran,
    replied,
)

CLASSES = ("public", "internal", "personal", "sensitive", "secret")
ROUTES: dict[str, Json] = {
    "trains": {"trains_on_data": True},
    "keeps": {"trains_on_data": False},
    "forgets": {"trains_on_data": False, "zero_data_retention": True},
    "here": {"local": True},
}
MILDEST_BARRED = {"trains": 1, "keeps": 3, "forgets": 4, "here": 5}
"""By route, the first of CLASSES that may not go there."""


async def everything(platform: Platform, **more: object) -> str:
    """All that an assembly answers, as one text."""
    return json.dumps(
        await platform.assembled(20_000, **{"profile": "thorough", "provider": "local", **more})
    )


@pytest.mark.parametrize("asker", ["agent", "mia", "other"])
async def test_what_is_for_auditors_enters_no_context(platform: Platform, asker: str) -> None:
    await platform.recorded(
        *OPENING,
        agent("other"),
        asked("m1", "Hello"),
        asked("m2", "CANARY", visibility="audit", shared_with=["agent", "other"]),
        replied("m3", "CANARY", visibility="audit"),
        called("c1", {"x": "CANARY"}, visibility="audit"),
        answered("c1", "CANARY"),
        called("c2", {"x": "CANARY"}, visibility="audit"),
        called("c3", visibility="branch"),
        answered("c3", "CANARY", visibility="audit"),
    )
    assert "CANARY" not in await everything(platform, by=asker)
    await platform.recorded(ran("r1"), ran("r2", by="other"), asked("m4", "And now the CANAR exactly, @9?"))
    assert "CANARY" not in await everything(platform, by=asker)


async def test_what_is_private_to_another_seat_is_neither_shown_nor_counted(platform: Platform) -> None:
    await platform.recorded(*OPENING, agent("rival"), asked("m1", "Hello"))
    before = await platform.assembled(profile="thorough")
    await platform.recorded(
        replied("m2", "CANARY", by="rival", visibility="participant"),
        called("c1", {"x": "CANARY"}, by="rival"),
        answered("c1", "CANARY"),
        ran("r1", by="rival"),
        called("c2", {"x": "CANARY"}, by="rival"),
    )
    after = await platform.assembled(profile="thorough")
    assert "CANARY" not in json.dumps(after)
    assert after["omissions"] == before["omissions"] == []
    explained = await platform.explained(after["assembly_id"])
    assert "private" not in json.dumps(explained) and explained["decisions"] == []
    assert "CANARY" in await everything(platform, by="rival")


async def test_the_number_of_private_items_cannot_be_read_from_a_decision(platform: Platform) -> None:
    await platform.recorded(*OPENING, agent("rival"), asked("m1", "Hello"))
    await platform.recorded(
        replied("m2", "x", visibility="audit"), *(called(f"c{n}", by="rival") for n in range(7))
    )
    context = await platform.assembled()
    explained = await platform.explained(context["assembly_id"])
    [decision] = [one for one in explained["decisions"] if one["policy"] == "visibility"]
    assert (decision["omitted_count"], decision["reasons"]) == (1, ["audit_only"])


async def test_a_share_reaches_those_it_names_and_nobody_else(platform: Platform) -> None:
    await platform.recorded(*OPENING, agent("friend"), agent("stranger"), asked("m1", "Hello"))
    await platform.recorded(
        replied("m2", "SHAREDWORD", visibility="participant", shared_with=["friend"]),
        called("c1", shared_with=["friend"]),
        answered("c1", {"found": "SHAREDRESULT"}),
        ran("r1"),
    )
    friend, stranger = await everything(platform, by="friend"), await everything(platform, by="stranger")
    assert "SHAREDWORD" in friend and "SHAREDRESULT" in friend
    assert "SHARED" not in stranger


async def test_a_conversations_items_reach_forks_that_do_not_inherit_them(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"), {"kind": "fork", "branch_id": "aside"})
    await platform.recorded(
        replied("m2", "ONBRANCH"), replied("m3", "WIDEWORD", visibility="conversation"), branch="aside"
    )
    main = await everything(platform)
    assert "WIDEWORD" in main and "ONBRANCH" not in main


async def test_a_subagent_sees_its_own_and_what_is_shared_with_it(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        {
            "kind": "participant",
            "participant_id": "sub",
            "participant_kind": "subagent",
            "parent_participant_id": "agent",
        },
        asked("m1", "BRANCHTALK"),
        asked("m2", "Find it. TASKWORD", by="agent", shared_with=["sub"]),
        replied("m3", "SUBSECRET", by="sub"),
    )
    sub = await everything(platform, by="sub", runtime_kind="subagent")
    assert "TASKWORD" in sub and "SUBSECRET" in sub and "BRANCHTALK" not in sub
    assert "SUBSECRET" not in await everything(platform)
    assert "SUBSECRET" not in await everything(platform, by="mia")


async def test_a_release_shows_a_parent_its_subagents_items_and_only_those(platform: Platform) -> None:
    sub = {"kind": "participant", "participant_kind": "subagent", "parent_participant_id": "agent"}
    await platform.recorded(
        *OPENING, {**sub, "participant_id": "one"}, {**sub, "participant_id": "two"}, asked("m1", "Hello")
    )
    await platform.recorded(
        replied("m2", "REPORTONE", by="one"),
        replied("m3", "REPORTTWO", by="two"),
        called("c1", by="two"),
        answered("c1", "RESULTTWO"),
    )
    for named in ({"message_ids": ["m3"]}, {"call_ids": ["c1"]}):
        refused = await platform.record({"kind": "release", "participant_id": "one", **named})
        problem(refused, 422, "unknown_reference")
    await platform.recorded({"kind": "release", "participant_id": "one"})
    seen = await everything(platform)
    assert "REPORTONE" in seen and "TWO" not in seen


@pytest.mark.parametrize("route", ROUTES)
async def test_a_class_goes_only_where_enough_is_promised(platform: Platform, route: str) -> None:
    await platform.configured({"providers": ROUTES})
    await platform.recorded(*OPENING, asked("m0", "Hello", privacy_class="personal"))
    for one in CLASSES:
        await platform.recorded(
            replied(f"m-{one}", f"SAID{one.upper()}", privacy_class=one),
            called(f"c-{one}", {"x": f"CALLED{one.upper()}"}, privacy_class=one),
            answered(f"c-{one}", {"y": f"FOUND{one.upper()}"}),
            called(f"o-{one}", {"x": f"OPEN{one.upper()}"}, privacy_class=one),
        )
    for _ in ("fresh", "seen"):
        text = await everything(platform, provider=route)
        for rank, one in enumerate(CLASSES):
            goes = (
                max(rank, 1) < MILDEST_BARRED[route]
            )  # nothing that is said or called is milder than internal
            for word in ("SAID", "CALLED", "FOUND", "OPEN"):
                assert (word + one.upper() in text) is goes, (word, one)
        await platform.recorded(ran(f"r-{_}"))


async def test_a_caller_may_tighten_a_class_and_never_loosen_it(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        asked("m1", "Hello"),
        called("c1", privacy_class="secret"),
        answered("c1", "CANARY", privacy_class="public", visibility="conversation"),
        asked("m2", "CANARY", privacy_class="secret"),
    )
    assert "CANARY" not in await everything(platform, provider="openai")
    assert "CANARY" in await everything(platform)


async def test_a_result_may_be_narrower_than_its_call_and_never_wider(platform: Platform) -> None:
    await platform.recorded(*OPENING, agent("rival"), asked("m1", "Hello"))
    await platform.recorded(
        called("c1", visibility="branch"),
        answered("c1", "NARROWED", visibility="participant"),
        called("c2"),
        answered("c2", "NOTWIDENED", visibility="branch"),
        called("c3", visibility="branch"),
        answered("c3", {"a": "BRANCHWIDE"}),
        ran("r1"),
    )
    rival = await everything(platform, by="rival")
    assert "NARROWED" not in rival and "NOTWIDENED" not in rival and "BRANCHWIDE" in rival


async def test_a_stale_memory_is_flagged_and_an_expired_or_volatile_one_is_out(platform: Platform) -> None:
    past = "2020-01-0{}T00:00:00Z"
    await platform.recorded(*OPENING, asked("m1", "Hello"), *(called(f"c{n}") for n in range(3)))
    await platform.recorded(
        answered("c0", {"a": "FLAGGED"}, occurred_at="1990-01-01T00:00:00Z", stale_after=past.format(2)),
        answered("c1", {"a": "EXPIRED"}, occurred_at=past.format(1), stale_after=past.format(2)),
        answered("c2", {"a": "VOLATILE"}, freshness="volatile", stale_after=past.format(2)),
        ran("r1"),
    )
    context = await platform.assembled(profile="thorough")
    text = json.dumps(context["sections"])
    assert "FLAGGED" in text and "[stale" in text and "EXPIRED" not in text and "VOLATILE" not in text
    assert {one["reason"] for one in context["omissions"]} == {"expired", "stale_volatile"}


async def test_two_people_are_told_apart_by_name(platform: Platform) -> None:
    await platform.recorded(
        *OPENING, human("ben", display_name="Ben"), asked("m1", "I pay."), asked("m2", "No, I.", by="ben")
    )
    contents = [m["content"] for m in (await platform.assembled(profile="thorough"))["request"]["messages"]]
    assert "Ben: No, I." in contents
