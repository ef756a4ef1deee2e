"""Two branches side by side: where they part, and what each has beyond."""

from __future__ import annotations

from typing import Any

import pytest
from agent_platform import OPENING, TRIP, Json, Platform, asked, called, forked, human, problem, ran

from service.usecases import compare_branches

NOTHING = {"first_seq": None, "last_seq": None, "events": {}, "entries": [], "next_cursor": None}


async def compared(platform: Platform, one: str, other: str, **query: Any) -> Json:
    asked_for = "&".join(f"{name}={value}" for name, value in {"conversation_id": TRIP, **query}.items())
    response = await platform.send("GET", f"/v1/branches/{one}/compare/{other}?{asked_for}")
    assert response.status_code == 200, response.text
    return response.json()


def said(side: Json) -> list[tuple[int, str]]:
    """Seq and client id of the messages that one side has."""
    return [(message["seq"], message["message_id"]) for message in side["entries"]]


@pytest.fixture
async def trip(platform: Platform) -> Platform:
    """main 1-10; `one` forked at 5 goes on to 8; `two` forked at 6 of `one` goes on to 7."""
    await platform.recorded(*OPENING, asked("m4", "x"), asked("m5", "x"), forked("one", title="The first"))
    await platform.recorded(asked("o6", "x"), ran("r7"), called("c8"), branch="one")
    await platform.recorded(forked("two", parent="one", at_seq=6), asked("m8", "x"))
    await platform.recorded(asked("t7", "x"), {"kind": "close"}, branch="two")
    return platform


async def test_a_fork_and_its_parent_part_where_it_was_forked(trip: Platform) -> None:
    told = await compared(trip, "main", "one")
    assert told["common"] == {"branch_id": "main", "seq": 5}
    main, one = told["first"], told["second"]
    assert (main["branch_id"], one["branch_id"], one["title"]) == ("main", "one", "The first")
    assert main["events"] == {"fork": 2, "message": 1}
    assert one["events"] == {"message": 1, "model_run": 1, "tool_call": 1}
    assert (main["first_seq"], main["last_seq"]) == (6, 8) == (one["first_seq"], one["last_seq"])
    assert said(main) == [(8, "m8")] and said(one) == [(6, "o6")]


async def test_branches_part_at_the_newest_event_that_both_read_whoever_recorded_it(trip: Platform) -> None:
    told = await compared(trip, "two", "one")
    assert told["common"] == {"branch_id": "one", "seq": 6}
    assert (said(told["first"]), said(told["second"])) == ([(7, "t7")], [])
    assert told["first"]["events"] == {"close": 1, "message": 1} and told["first"]["closed"]
    told = await compared(trip, "two", "main")
    assert told["common"] == {"branch_id": "main", "seq": 5}
    assert said(told["first"]) == [(6, "o6"), (7, "t7")], "what it inherits of one is beyond main"


async def test_comparing_the_other_way_round_tells_the_same(trip: Platform) -> None:
    there, back = await compared(trip, "one", "two"), await compared(trip, "two", "one")
    assert (there["first"], there["second"]) == (back["second"], back["first"])
    assert there["common"] == back["common"]


async def test_a_branch_has_nothing_beyond_itself_nor_a_fresh_fork_beyond_its_parent(trip: Platform) -> None:
    itself = await compared(trip, "one", "one")
    assert itself["common"] == {"branch_id": "one", "seq": 8}
    assert NOTHING.items() <= itself["first"].items() and itself["first"] == itself["second"]
    await trip.recorded(forked("fresh", at_seq=4), forked("fresher", parent="fresh"))
    for one, other in (("fresh", "fresher"), ("fresh", "fresh")):
        told = await compared(trip, one, other)
        assert told["common"] == {"branch_id": "main", "seq": 4}
        assert NOTHING.items() <= told["first"].items()


async def test_nothing_private_is_told_of_either_side(trip: Platform) -> None:
    await trip.recorded(human("ben"))
    await trip.recorded(
        asked("p1", "SECRET", shared_with=["ben"]), asked("p2", "SECRET", visibility="audit"), branch="one"
    )
    told = await compared(trip, "main", "one")
    assert said(told["second"]) == [(6, "o6")] and "SECRET" not in str(told)
    assert told["second"]["events"]["message"] == 3
    assert said((await compared(trip, "main", "one", participant_id="ben"))["second"]) == [
        (6, "o6"),
        (9, "p1"),
    ]


async def test_the_messages_of_a_side_go_on_in_its_transcript(trip: Platform) -> None:
    await trip.recorded(*(asked(f"n{number}", "x") for number in range(5)), branch="one")
    side = (await compared(trip, "main", "one", limit=2))["second"]
    assert said(side) == [(6, "o6"), (9, "n0")]
    path = f"/v1/branches/one/transcript?conversation_id={TRIP}&cursor={side['next_cursor']}"
    rest = (await trip.send("GET", path)).json()
    assert [entry["message_id"] for entry in rest["entries"]] == ["n1", "n2", "n3", "n4"]


async def test_events_are_counted_piece_by_piece_and_only_so_many(
    trip: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await compared(trip, "two", "main")
    monkeypatch.setattr(compare_branches, "EVENTS_PER_COUNT", 1)
    assert await compared(trip, "two", "main") == whole
    monkeypatch.setattr(compare_branches, "COUNTED_EVENTS_MAX", 2)
    path = f"/v1/branches/two/compare/main?conversation_id={TRIP}"
    refused = problem(await trip.send("GET", path), 413, "limit_exceeded")
    assert (refused["maximum"], refused["unit"]) == (2, "events beyond the common one")


async def test_a_comparison_that_is_asked_for_wrongly(trip: Platform, neighbour: Platform) -> None:
    for path in (
        f"main/compare/nowhere?conversation_id={TRIP}",
        f"nowhere/compare/main?conversation_id={TRIP}",
        "main/compare/one?conversation_id=elsewhere",
        f"main/compare/one?conversation_id={TRIP}&participant_id=nobody",
    ):
        problem(await trip.send("GET", f"/v1/branches/{path}"), 404, "not_found")
    path = f"/v1/branches/main/compare/one?conversation_id={TRIP}"
    problem(await neighbour.send("GET", path), 404, "not_found")
    problem(await trip.send("GET", f"{path}&limit=0"), 422, "invalid_request")
