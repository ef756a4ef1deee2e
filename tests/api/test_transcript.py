"""The transcript: what was said on a branch, as people read it, and nothing that they may not see."""

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
    human,
    problem,
    ran,
    replied,
)

from service.usecases import read_transcript

SCOUT = agent("scout", participant_kind="subagent", parent_participant_id="agent")


async def transcript(platform: Platform, branch: str = "main", **query: Any) -> Json:
    asked_for = "&".join(f"{name}={value}" for name, value in {"conversation_id": "trip", **query}.items())
    response = await platform.send("GET", f"/v1/branches/{branch}/transcript?{asked_for}")
    assert response.status_code == 200, response.text
    return response.json()


async def words(platform: Platform, branch: str = "main", **query: Any) -> list[str]:
    """The texts of a page."""
    return [entry["text"] for entry in (await transcript(platform, branch, **query))["entries"]]


async def pages(platform: Platform, branch: str = "main", **query: Any) -> list[list[str]]:
    """The texts of all pages, read on by their cursors."""
    read, found = [], await transcript(platform, branch, **query)
    while True:
        read.append([entry["text"] for entry in found["entries"]])
        if found["next_cursor"] is None:
            return read
        found = await transcript(platform, branch, **query, cursor=found["next_cursor"])


async def test_a_reviewer_reads_who_said_what_and_when_and_no_runtime_records(platform: Platform) -> None:
    picture = {"type": "image", "file_id": "f1", "mime_type": "image/png", "tokens": 9, "name": "map.png"}
    text, thought = {"type": "text", "content": "Here"}, {"type": "reasoning", "content": "THOUGHT"}
    call = {"type": "tool_call", "id": "c2", "name": "book", "arguments": {"seat": "12A"}}
    pin = {"kind": "pin", "pin_id": "p1", "pin_kind": "decision", "participant_id": "mia", "text": "PINNED"}
    await platform.recorded(
        OPENING[0],
        human(display_name="Mia"),
        agent(),
        asked("m1", "Which seat?", occurred_at="2026-03-01T08:00:00+01:00"),
        ran("r1"),
        called("c1"),
        answered("c1", "RESULT"),
        pin,
        {**replied("m2", ""), "parts": [thought, text, picture, call]},
        {**replied("m3", ""), "parts": [{**call, "id": "c3"}]},
        asked("m4", "Thanks", by="agent", role="system"),
    )
    read = await transcript(platform)
    assert (read["branch_id"], read["title"], read["head"], read["next_cursor"]) == ("main", None, 11, None)
    first, second, third = read["entries"]
    assert first["speaker"] == {"participant_id": "mia", "name": "Mia", "participant_kind": "human"}
    assert (first["kind"], first["seq"], first["message_id"]) == ("message", 4, "m1")
    assert (first["role"], first["text"], first["parts"]) == ("user", "Which seat?", [])
    assert first["occurred_at"] == "2026-03-01T07:00:00Z" < first["recorded_at"]
    assert second["speaker"]["name"] == "agent"
    assert second["text"] == "Here\n[image map.png, image/png, id f1]" and second["parts"] == [text, picture]
    assert third["role"] == "system"
    assert not any(word in str(read) for word in ("THOUGHT", "RESULT", "PINNED", "12A", "look_up"))


async def test_a_branch_reads_on_from_its_ancestors_and_never_from_a_sibling(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m4", "four"), asked("m5", "five"), forked("one", at_seq=4))
    await platform.recorded(forked("deep", parent="one"), forked("two", title="The other way"))
    await platform.recorded(asked("o1", "in one"), branch="one")
    await platform.recorded(asked("t1", "in two"), branch="two")
    await platform.recorded(forked("deeper", parent="one"), asked("m9", "later"))
    await platform.recorded(asked("d1", "in deeper"), branch="deeper")
    assert await words(platform) == ["four", "five", "later"]
    assert await words(platform, "deep") == ["four"]
    two = await transcript(platform, "two")
    assert [(e["text"], e["inherited"]) for e in two["entries"]] == [
        ("four", True),
        ("five", True),
        ("in two", False),
    ]
    assert two["title"] == "The other way"
    assert await words(platform, "deeper") == ["four", "in one", "in deeper"]


async def test_what_is_private_is_read_by_those_alone_who_may_see_it(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        human("ben"),
        SCOUT,
        asked("m1", "to all", visibility="conversation"),
        asked("m2", "to the branch"),
        asked("m3", "mia's own", visibility="participant"),
        asked("m4", "for ben", shared_with=["ben"]),
        asked("m5", "for auditors", visibility="audit"),
        replied("m6", "the scout's find", by="scout"),
    )
    seen = {
        who: await words(platform, **({"participant_id": who} if who else {}))
        for who in ("", "mia", "ben", "agent", "scout")
    }
    assert seen == {
        "": ["to all", "to the branch"],
        "mia": ["to all", "to the branch", "mia's own", "for ben"],
        "ben": ["to all", "to the branch", "for ben"],
        "agent": ["to all", "to the branch"],
        "scout": ["to all", "the scout's find"],
    }


async def test_what_a_subagent_released_is_read_by_its_parent_where_it_was_released(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, SCOUT, replied("m1", "the scout's find", by="scout"), forked("before"))
    await platform.recorded({"kind": "release", "participant_id": "scout"})
    await platform.recorded(forked("after"))
    assert await words(platform, participant_id="agent") == ["the scout's find"]
    assert await words(platform, "after", participant_id="agent") == ["the scout's find"]
    assert await words(platform, "before", participant_id="agent") == []
    assert await words(platform) == await words(platform, participant_id="mia") == []


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
async def test_pages_give_every_message_once_and_in_order(platform: Platform, limit: int) -> None:
    hidden = [asked(f"h{n}", "hidden", visibility="audit") for n in range(3)]
    said = [asked(f"m{n}", str(n)) for n in range(6)]
    await platform.recorded(*OPENING, hidden[0], *said[:3], hidden[1], called("c1"))
    await platform.recorded(forked("one"))
    await platform.recorded(*said[3:], hidden[2], ran("r1"), branch="one")
    read = await pages(platform, "one", limit=limit)
    assert [text for page in read for text in page] == list("012345")
    assert max(map(len, read)) == min(limit, 6)
    assert len(read) == -(-6 // limit)


@pytest.mark.parametrize("limit", [1, 2, 3, 9])
async def test_a_page_that_looked_far_enough_ends_early_and_the_next_one_goes_on(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Windows of two events, three to a page: nearly all that stands between the words is private."""
    monkeypatch.setattr(read_transcript, "WINDOW_EVENTS", 2)
    monkeypatch.setattr(read_transcript, "WINDOWS_MAX", 3)
    hidden = [asked(f"h{n}", "hidden", visibility="audit") for n in range(11)]
    await platform.recorded(*OPENING, asked("m1", "first"), *hidden, asked("m2", "second"), forked("one"))
    await platform.recorded(asked("m3", "third"), ran("r1"), branch="one")
    read = await pages(platform, "one", limit=limit)
    assert [text for page in read for text in page] == ["first", "second", "third"]
    assert [] in read and max(map(len, read)) <= limit


async def test_what_is_said_while_somebody_reads_is_on_a_later_page(platform: Platform) -> None:
    await platform.recorded(*OPENING, *(asked(f"m{n}", str(n)) for n in range(3)))
    first = await transcript(platform, limit=2)
    await platform.recorded(asked("m3", "3"))
    rest = await words(platform, limit=2, cursor=first["next_cursor"])
    assert [entry["text"] for entry in first["entries"]] + rest == list("0123")


async def test_a_transcript_that_is_asked_for_wrongly(platform: Platform, neighbour: Platform) -> None:
    await platform.recorded(*OPENING, *(asked(f"x{n}", "x") for n in range(2)), forked("one"))
    at, cursor = "/v1/branches/main/transcript", (await transcript(platform, limit=1))["next_cursor"]
    for path in (
        at,
        f"{at}?conversation_id=trip&limit=0",
        f"{at}?conversation_id=trip&limit=501",
        f"{at}?conversation_id=trip&cursor=CANARY",
        f"{at}?conversation_id=trip&cursor=WzEsIC0xXQ",
        f"{at}?conversation_id=trip&cursor=WzFd",
        f"{at}?conversation_id=trip&cursor=bnVsbA",
        f"/v1/branches/one/transcript?conversation_id=trip&cursor={cursor}",
    ):
        refused = problem(await platform.send("GET", path), 422, "invalid_request")
        assert refused["errors"][0]["location"] in ("conversation_id", "limit", "cursor")
        assert "CANARY" not in str(refused)
    for path in (
        f"{at}?conversation_id=nowhere",
        "/v1/branches/nowhere/transcript?conversation_id=trip",
        f"{at}?conversation_id=trip&participant_id=nobody",
    ):
        problem(await platform.send("GET", path), 404, "not_found")
    assert await words(neighbour) == ["Which flight did I book?", "HAT022, seat 12A."]
    # Another tenant's cursor names another branch.
    theirs = (await transcript(neighbour, limit=1))["next_cursor"]
    problem(await platform.send("GET", f"{at}?conversation_id=trip&cursor={theirs}"), 422, "invalid_request")


async def test_a_read_sees_the_write_whose_token_it_brings(platform: Platform) -> None:
    token = (await platform.recorded(*OPENING, asked("m1", "hello")))["consistency_token"]
    path = "/v1/branches/main/transcript?conversation_id=trip"
    read = await platform.send("GET", path, Consistency_Token=token)
    assert [entry["text"] for entry in read.json()["entries"]] == ["hello"]
    problem(await platform.send("GET", path, Consistency_Token="made up"), 422, "invalid_request")
