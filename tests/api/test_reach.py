"""Assembly: pins, failures, releases and other branches carry nothing further than it may go by itself.

Each of these was once a difference between the service and the reference model of tests/reference.
"""

from __future__ import annotations

import json

from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    forked,
    ran,
    replied,
    shown,
)

SCOUT = {
    "kind": "participant",
    "participant_id": "scout",
    "participant_kind": "subagent",
    "parent_participant_id": "agent",
}


def pinned(message_id: str, by: str, **more: object) -> Json:
    pin = {"kind": "pin", "pin_id": f"p-{message_id}", "pin_kind": "decision", "participant_id": by}
    return {**pin, "message_id": message_id, **more}


async def everything(platform: Platform, **more: object) -> str:
    """All that a model would read."""
    return shown(await platform.assembled(20_000, **{"profile": "thorough", "provider": "local", **more}))


async def test_a_pin_shows_its_message_to_those_alone_who_may_see_it(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        agent("rival"),
        SCOUT,
        asked("m1", "BRANCHTALK"),
        replied("m2", "SCOUTSECRET", by="scout"),
        pinned("m1", "mia"),
        pinned("m2", "rival", shared_with=["agent"]),
    )
    for seat in ("rival", "agent", "mia"):
        assert "SCOUTSECRET" not in await everything(platform, by=seat)
    assert "BRANCHTALK" in await everything(platform, by="rival")
    assert "BRANCHTALK" not in await everything(platform, by="scout", runtime_kind="subagent")


async def test_what_a_failed_subagent_told_goes_only_where_internal_data_may_go(platform: Platform) -> None:
    providers = {"trains": {"trains_on_data": True}, "keeps": {"trains_on_data": False}}
    await platform.configured({"providers": providers})
    failed = {"kind": "release", "participant_id": "scout", "outcome": "failed", "summary": "BROKENWORD"}
    await platform.recorded(*OPENING, SCOUT, asked("m1", "Hello"), failed)
    assert "BROKENWORD" in await everything(platform, provider="keeps")
    told = await everything(platform, provider="trains")
    assert "scout failed" in told and "BROKENWORD" not in told


async def test_a_release_lets_out_what_was_there_and_nothing_later_of_its_batch(platform: Platform) -> None:
    release = {"kind": "release", "participant_id": "scout", "call_ids": ["c1", "c2"]}
    await platform.recorded(
        *OPENING,
        SCOUT,
        *(asked("m1", "Hello"), called("c1", by="scout"), called("c2", by="scout")),
        *(answered("c1", "EARLYRESULT"), release, answered("c2", "LATERESULT")),
    )
    seen = await everything(platform)
    assert "EARLYRESULT" in seen and "LATERESULT" not in seen


async def test_a_release_lets_out_no_result_that_stands_on_another_branch(platform: Platform) -> None:
    await platform.recorded(*OPENING, SCOUT, asked("m1", "Hello"), called("c1", by="scout"), forked("aside"))
    await platform.recorded(answered("c1", "MAINRESULT"))
    await platform.recorded(
        {"kind": "release", "participant_id": "scout", "call_ids": ["c1"]},
        {"kind": "merge", "from_branch_id": "main", "from_seq": 8},
        branch="aside",
    )
    assert "MAINRESULT" not in await everything(platform, branch="aside")


async def test_a_continuation_sees_of_other_branches_what_they_shared_until_its_checkpoint(
    platform: Platform,
) -> None:
    checkpoint = {"kind": "checkpoint", "checkpoint_id": "k1", "participant_id": "agent"}
    wide = {"visibility": "conversation"}
    await platform.recorded(*OPENING, agent("rival"), asked("m1", "Hello"), forked("aside", at_seq=4))
    early = (called("c1", by="rival", **wide), answered("c1", "EARLYRESULT"))
    await platform.recorded(replied("a1", "EARLYWORD", by="rival", **wide), *early, branch="aside")
    await platform.recorded(*(replied(f"m{number}", "x") for number in range(2, 20)), checkpoint)
    late = (called("c2", by="rival", **wide), answered("c2", "LATERESULT"))
    await platform.recorded(replied("a2", "LATEWORD", by="rival", **wide), *late, branch="aside")
    text = await everything(platform, runtime_kind="continuation")
    assert "EARLYWORD" in text and "EARLYRESULT" in text and "LATE" not in text
    assert "LATEWORD" in await everything(platform) and "LATERESULT" in await everything(platform)


async def test_parallel_models_do_not_see_each_other_across_branches_before_the_next_turn(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, agent("rival"), asked("m1", "One?"), forked("aside", at_seq=4))
    await platform.recorded(*(replied(f"m{number}", "x") for number in range(2, 20)), asked("m20", "Two?"))
    await platform.recorded(replied("a1", "RIVALWORD", by="rival", visibility="conversation"), branch="aside")
    assert "RIVALWORD" not in await everything(platform, runtime_kind="multi_model")
    await platform.recorded(ran("r1"), replied("m21", "mine", run_id="r1"), asked("m22", "Three?"))
    assert "RIVALWORD" in json.dumps(await everything(platform, runtime_kind="multi_model"))


async def test_an_open_call_stays_in_sight_whatever_class_its_deferral_asks_for(platform: Platform) -> None:
    deferral = {"kind": "tool_result", "call_id": "c1", "call_status": "deferred", "privacy_class": "secret"}
    await platform.recorded(*OPENING, asked("m1", "Hello"), called("c1", {"key": "OPENWORD"}), deferral)
    assert "OPENWORD" in await everything(platform, provider="openai")
    await platform.recorded(forked("aside"), answered("c1", "SECRETWORD", privacy_class="secret"))
    assert "OPENWORD" in await everything(platform, provider="openai", branch="aside")
    assert "WORD" not in await everything(platform, provider="openai")
