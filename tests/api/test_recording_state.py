"""Recording: forks at a message, pins and checkpoints keep the rules of ids and of reach."""

from __future__ import annotations

import asyncio

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    asked,
    called,
    forked,
    problem,
    ran,
    section,
    shown,
)


def pinned(pin_id: str, text: str = "PINNED", **more: object) -> Json:
    return {
        "kind": "pin",
        "pin_id": pin_id,
        "pin_kind": "decision",
        "participant_id": "mia",
        **({"text": text} if "message_id" not in more else {}),
        **more,
    }


def saved(checkpoint_id: str, **more: object) -> Json:
    return {"kind": "checkpoint", "checkpoint_id": checkpoint_id, "participant_id": "agent", **more}


def forked_at(branch_id: str, message_id: str, **more: object) -> Json:
    return {"kind": "fork", "branch_id": branch_id, "at_message_id": message_id, **more}


async def test_a_fork_at_a_message_sees_it_and_nothing_after(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "FIRST"), asked("m2", "SECOND"))
    await platform.recorded(
        forked_at("one", "m1"), asked("m3", "THIRD"), forked_at("two", "m3"), asked("m4", "x")
    )
    assert "FIRST" in (one := shown(await platform.assembled(branch="one"))) and "SECOND" not in one
    assert "THIRD" in shown(await platform.assembled(branch="two"))
    assert (await platform.recorded(asked("o", "x"), branch="one"))["head"] == 5


async def test_a_fork_at_a_message_out_of_its_parents_reach_is_refused(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("there", "x"), at="elsewhere")
    await platform.recorded(*OPENING, asked("m1", "x"), forked("one"), asked("late", "x"))
    await platform.recorded(asked("aside", "x"), branch="one")
    for event in (
        forked_at("b", "none"),
        forked_at("b", "there"),
        forked_at("b", "aside"),
        forked_at("b", "late", parent_branch_id="one"),
    ):
        refused = problem(await platform.record(event), 422, "unknown_reference")
        assert refused["location"] == "events[0].at_message_id"
    [error] = problem(await platform.record(forked_at("b", "m1", at_seq=4)), 422, "invalid_request")["errors"]
    assert error["location"] == "events[0].at_seq"
    await platform.recorded(forked_at("b", "aside", parent_branch_id="one"))


async def test_a_branch_opened_by_two_writers_at_once_is_one(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    both = await asyncio.gather(*(platform.record(forked("one", title=str(n))) for n in range(6)))
    refused = [response for response in both if response.status_code != 201]
    assert len(refused) == 5
    for response in refused:
        assert problem(response, 409, "id_taken")["location"] == "events[0].branch_id"


@pytest.mark.parametrize(("event", "location"), [(pinned("p1"), "pin_id"), (saved("k1"), "checkpoint_id")])
async def test_a_pin_or_checkpoint_id_in_use_is_refused_by_its_place(
    platform: Platform, event: Json, location: str
) -> None:
    await platform.recorded(*OPENING, event)
    again = {**event, "occurred_at": "2026-01-01T00:00:00Z"}
    assert problem(await platform.record(again), 409, "id_taken")["location"] == f"events[0].{location}"
    twice = [{**event, location: "new"}, {**again, location: "new"}]
    assert problem(await platform.record(*twice), 409, "id_taken")["location"] == f"events[1].{location}"


async def test_what_pins_and_checkpoints_name_must_be_in_reach(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("there", "x"), called("c-there"), ran("r-there"), at="elsewhere")
    await platform.recorded(*OPENING, forked("one"))
    await platform.recorded(asked("aside", "x"), called("c-aside"), pinned("p-aside"), branch="one")
    for missing, named in (("none", "there"), ("none", "aside")):
        for make in (
            lambda one: pinned("p", message_id=one),
            lambda one: saved("k", run_id=f"r-{one}"),
            lambda one: saved("k", pending_call_ids=[f"c-{one}"]),
            lambda one: saved("k", child_participant_ids=[f"p-{one}"]),
            lambda one: {"kind": "unpin", "pin_id": f"p-{one}"},
        ):
            absent = problem(await platform.record(make(missing)), 422, "unknown_reference")
            assert problem(await platform.record(make(named)), 422, "unknown_reference") == absent


async def test_a_pin_enters_every_context_until_it_ends_on_that_branch(platform: Platform) -> None:
    await platform.recorded(*OPENING, pinned("p1", "KEEPTHIS"), asked("m1", "x"), forked("one"))
    await platform.recorded({"kind": "unpin", "pin_id": "p1"})
    assert "KEEPTHIS" not in shown(await platform.assembled(300))
    assert "KEEPTHIS" in section(await platform.assembled(300, branch="one"), "working_memory")["text"]


async def test_a_pin_must_fit_and_a_refusal_names_the_tokens_that_do(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "x"), pinned("p1", "a long rule " * 400))
    needed = problem(await platform.assemble(500), 422, "budget_too_small")["needed_tokens"]
    assert (await platform.assembled(needed))["tokens"]["assembled"] <= needed
