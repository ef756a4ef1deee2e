"""A branch is renamed, closed and reopened by events of its own, and by nothing else."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agent_platform import OPENING, TRIP, Json, Platform, asked, forked, problem, shown
from served import Rows

CLOSE, REOPEN = {"kind": "close"}, {"kind": "reopen"}


def renamed(title: str) -> Json:
    return {"kind": "rename", "title": title}


async def state(platform: Platform, branch: str = "main") -> tuple[Any, bool]:
    """Title, and whether the branch is closed."""
    read = await platform.send("GET", f"/v1/branches/{branch}/transcript?conversation_id={TRIP}")
    return read.json()["title"], read.json()["closed"]


async def test_a_renamed_branch_has_its_newest_title_and_the_log_has_all_of_them(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(*OPENING, forked("one", title="A try"))
    assert await state(platform, "one") == ("A try", False)
    await platform.recorded(renamed("A better try"), renamed("The best try"), branch="one")
    await platform.recorded(renamed("The trunk"))
    assert await state(platform, "one") == ("The best try", False)
    assert await state(platform) == ("The trunk", False)
    logged = await rows(
        "MATCH (e:Event {tenant_id: $t, kind: 'rename'})-[:HAS_PAYLOAD]->(p) "
        "RETURN properties(e) AS envelope, p.body AS body ORDER BY e.seq, e.at",
        t=platform.tenant_id,
    )
    assert {json.loads(row["body"])["title"] for row in logged} == {
        "A better try",
        "The best try",
        "The trunk",
    }
    assert not any("try" in str(row["envelope"]) for row in logged)


async def test_a_closed_branch_refuses_every_event_and_is_read_and_assembled_on_as_before(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, forked("one"))
    assert (await platform.recorded(asked("o1", "WORDS"), CLOSE, branch="one"))["head"] == 5
    for event in (asked("o2", "x"), renamed("x"), CLOSE):
        refused = problem(await platform.record(event, branch="one"), 409, "branch_closed")
        assert (refused["location"], refused["outcome"]) == ("events[0]", "not_committed")
    assert await state(platform, "one") == (None, True)
    assembled = await platform.assembled(branch="one")
    assert "WORDS" in shown(assembled) and assembled["head"] == 5


async def test_a_reopened_branch_goes_on_where_it_ended(platform: Platform) -> None:
    await platform.recorded(*OPENING, CLOSE)
    assert (await platform.recorded(REOPEN, asked("m1", "x")))["head"] == 6
    assert await state(platform) == (None, False)
    assert (await platform.recorded(CLOSE, REOPEN, asked("m2", "x"), CLOSE))["head"] == 10
    assert await state(platform) == (None, True)


async def test_nothing_of_a_batch_stands_where_an_event_of_it_finds_the_branch_closed(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING)
    refused = problem(await platform.record(asked("m1", "x"), CLOSE, asked("m2", "x")), 409, "branch_closed")
    assert refused["location"] == "events[2]"
    assert await state(platform) == (None, False)
    assert (await platform.recorded(asked("m1", "x")))["head"] == 4


async def test_closing_one_branch_closes_no_other(platform: Platform) -> None:
    await platform.recorded(*OPENING, forked("one"), forked("two"))
    await platform.recorded(asked("o1", "IN-ONE"), CLOSE, branch="one")
    await platform.recorded(forked("heir", parent="one"), asked("m1", "x"))
    await platform.recorded(asked("h1", "x"), branch="heir")
    await platform.recorded(asked("t1", "x"), branch="two")
    assert "IN-ONE" in shown(await platform.assembled(branch="heir"))
    assert await state(platform, "heir") == (None, False)


async def test_a_batch_that_was_applied_before_the_closing_is_still_answered_the_same(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING)
    first = await platform.recorded(asked("m1", "x"), idempotency_key="k")
    closed = await platform.recorded(CLOSE, idempotency_key="k2")
    again = await platform.recorded(asked("m1", "x"), idempotency_key="k")
    assert again["repeated"] and again["events"] == first["events"]
    assert (await platform.recorded(CLOSE, idempotency_key="k2"))["events"] == closed["events"]


async def test_of_many_who_close_at_once_one_does_and_of_many_writers_none_comes_after_it(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING)
    closing = [platform.record(CLOSE, idempotency_key=f"close-{n}") for n in range(4)]
    writing = [platform.record(asked(f"m{n}", "x")) for n in range(8)]
    answers = await asyncio.gather(*closing, *writing)
    closings, written = answers[:4], [one.json()["head"] for one in answers[4:] if one.status_code == 201]
    [closed] = [one.json()["head"] for one in closings if one.status_code == 201]
    for one in answers:
        if one.status_code != 201:
            problem(one, 409, "branch_closed")
    assert sorted([*written, closed]) == list(range(4, closed + 1))


@pytest.mark.parametrize("event", [{"kind": "rename"}, renamed(""), {**CLOSE, "title": "x"}])
async def test_a_change_of_a_branch_that_says_too_little_or_too_much(platform: Platform, event: Json) -> None:
    await platform.recorded(*OPENING)
    [error] = problem(await platform.record(event), 422, "invalid_request")["errors"]
    assert error["location"] == "events[0].title"
