"""What was said long ago comes back when it is asked for, to those who may see it and nobody else."""

from __future__ import annotations

import pytest
from agent_platform import (
    OPENING,
    Json,
    NewPlatform,
    Platform,
    agent,
    asked,
    forked,
    human,
    ran,
    replied,
    section,
)

LONG_AGO = "The spare key of the boathouse hangs behind the blue barrel."
QUESTION = "Where does the spare key of the boathouse hang?"
ROUND = 100
"""Events of one batch."""


def chatter(count: int, start: int = 0) -> list[Json]:
    """Small talk that is about something else."""
    return [
        (asked if at % 2 else replied)(f"chat-{at}", f"Number {at}: the ferry was late again, and so was I.")
        for at in range(start, start + count)
    ]


async def long_talk(platform: Platform, *first: Json, rounds: int = 4) -> None:
    """A talk of several hundred messages that begins with these."""
    await platform.recorded(*OPENING, *first)
    for at in range(rounds):
        await platform.recorded(*chatter(ROUND, at * ROUND))


def recalled(context: Json) -> str:
    return str(section(context, "recalled_messages")["text"])


async def test_what_was_said_hundreds_of_messages_ago_is_found(platform: Platform) -> None:
    await long_talk(platform, asked("m1", LONG_AGO))
    await platform.recorded(asked("q", QUESTION))
    context = await platform.assembled(1_000)
    assert LONG_AGO in recalled(context)
    found = next(item for item in section(context, "recalled_messages")["items"] if item["seq"] == 4)
    assert found["why"] == "found"
    seqs = {item["seq"] for part in context["sections"] for item in part["items"]}
    left_out = next(at for at in range(100) if 5 + at not in seqs)
    path = f"/v1/assemblies/{context['assembly_id']}/why-not/chat-{left_out}"
    told = (await platform.send("GET", path)).json()
    assert told["reason"] in ("not_found", "worth_too_little", "over_budget"), told


async def test_it_is_found_on_a_fork_and_again_when_the_talk_went_on(platform: Platform) -> None:
    await long_talk(platform, asked("m1", LONG_AGO))
    await platform.recorded(forked("side"))
    await platform.recorded(asked("q", QUESTION), branch="side")
    assert LONG_AGO in recalled(await platform.assembled(1_000, branch="side"))
    late = "By the way, the boathouse was sold: its spare key is with the notary now."
    await platform.recorded(replied("later", late), *chatter(60, 1_000), asked("q2", QUESTION))
    context = recalled(await platform.assembled(1_000))
    assert LONG_AGO in context and late in context
    assert late not in recalled(await platform.assembled(1_000, branch="side"))


async def test_a_long_message_comes_back_by_the_sentence_that_is_asked_for(platform: Platform) -> None:
    filling = " ".join(f"Then we spoke of the weather on day {day}." for day in range(40))
    await long_talk(platform, asked("m1", f"{filling} {LONG_AGO} {filling}"))
    await platform.recorded(asked("q", QUESTION))
    context = await platform.assembled(400)
    assert LONG_AGO in recalled(context)
    assert context["tokens"]["assembled"] <= 400
    assert "…" in recalled(context)


async def test_what_others_keep_to_themselves_is_not_found_and_takes_no_place(platform: Platform) -> None:
    """A hundred nearer ones belong to somebody else: what is given is as if they were not there."""
    private = [
        asked(f"p{at}", f"{LONG_AGO} ({at})", by="rival", visibility="participant", role="assistant")
        for at in range(100)
    ]
    await platform.recorded(*OPENING, agent("rival"), asked("m1", LONG_AGO))
    await platform.recorded(*private)
    for at in range(4):
        await platform.recorded(*chatter(ROUND, at * ROUND))
    await platform.recorded(asked("q", QUESTION))
    own, rivals = (
        recalled(await platform.assembled(1_000)),
        recalled(await platform.assembled(1_000, by="rival")),
    )
    assert own.count("behind the blue barrel") == 1
    assert rivals.count("behind the blue barrel") > 1


async def test_another_tenants_talk_is_never_found(new_platform: NewPlatform) -> None:
    mine, theirs = await new_platform(), await new_platform()
    await long_talk(theirs, asked("m1", LONG_AGO))
    await long_talk(mine, asked("m1", "We never said anything about it."))
    await theirs.recorded(asked("q", QUESTION))
    await mine.recorded(asked("q", QUESTION))
    assert "barrel" in recalled(await theirs.assembled(1_000))
    assert "barrel" not in str(await mine.assembled(1_000))


async def test_a_replay_finds_the_same_after_the_talk_went_on(platform: Platform) -> None:
    await long_talk(platform, asked("m1", LONG_AGO))
    await platform.recorded(asked("q", QUESTION))
    context = await platform.assembled(1_000)
    await platform.recorded(ran("r1"), *chatter(ROUND, 5_000), replied("m9", f"Once more: {LONG_AGO}"))
    await platform.assembled(1_000)
    replayed = await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert replayed.json()["same"] and replayed.json()["reproducible"], replayed.text


async def test_a_fork_finds_the_same_after_its_parent_went_on(platform: Platform) -> None:
    words = ("ferry", "barrel", "boathouse", "key", "sister", "lamp", "winter", "market")
    told = [" ".join(words[at * step % 8] for step in range(1, 6)) for at in range(120)]
    await platform.recorded(*OPENING, *(replied(f"m{at}", text) for at, text in enumerate(told)))
    await platform.recorded(forked("side"))
    lasting = [replied(f"s{at}", text) for at, text in enumerate(told)]
    await platform.recorded(*lasting, asked("q", "the key of the barrel in winter"), branch="side")
    context = await platform.assembled(800, branch="side")
    await platform.recorded(*(replied(f"late-{at}", text) for at, text in enumerate(told)))
    await platform.assembled(800)
    replayed = await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert replayed.json()["same"], replayed.text


@pytest.mark.parametrize(
    ("talk", "found", "window"),
    [
        ({"top_k": 0}, False, None),
        ({"top_k": 1, "message_range": 0}, True, None),
        ({"last_messages": 3}, True, 3),
    ],
)
async def test_an_agent_is_shown_as_much_of_the_talk_as_its_profile_says(
    platform: Platform, talk: Json, found: bool, window: int | None
) -> None:
    await platform.configured({"agents": {"agent": {"talk": talk}}})
    await long_talk(platform, asked("m1", LONG_AGO))
    await platform.recorded(asked("q", QUESTION))
    context = await platform.assembled(3_000, profile="thorough")
    assert ("behind the blue barrel" in str(context["sections"])) is found
    if talk.get("top_k") == 1:
        whys = [item["why"] for item in section(context, "recalled_messages")["items"]]
        assert whys.count("found") == 1
    if window is not None:
        assert len(section(context, "recent_window")["items"]) == window


async def test_a_message_is_not_shown_twice(platform: Platform) -> None:
    """Recent messages are found as well; each enters once, whole or in part."""
    told = [asked(f"m{at}", f"{LONG_AGO} It was on day {at}. " + "So it goes. " * 40) for at in range(6)]
    await platform.recorded(*OPENING, *told)
    await platform.recorded(asked("q", QUESTION))
    for budget in range(300, 3_000, 300):
        context = await platform.assembled(budget, profile="thorough")
        uids = [item["uid"] for part in context["sections"] for item in part["items"]]
        assert len(uids) == len(set(uids))
        assert context["tokens"]["assembled"] <= budget


async def test_a_message_without_words_breaks_no_search(platform: Platform) -> None:
    """An assistant that only calls a tool says nothing."""
    await platform.recorded(*OPENING, asked("m1", LONG_AGO), *chatter(ROUND), asked("q", QUESTION))
    call = {"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {}}
    for number, parts in enumerate(([call], [{"type": "text", "content": ""}])):
        await platform.recorded({**replied(f"silent-{number}", ""), "parts": parts})
        assert LONG_AGO in recalled(await platform.assembled(1_000))


async def test_what_the_asker_may_not_see_asks_for_nothing(platform: Platform) -> None:
    """A question between two others brings no knowledge."""
    put = {"title": "Boats", "text": "The boathouse opens at nine in the morning."}
    sent = await platform.send("PUT", "/v1/knowledge-documents/boats", put)
    assert sent.status_code == 200, sent.text
    await platform.recorded(*OPENING, human("rival"), asked("q", "Hello there, agent."))
    await platform.recorded(asked("p", "When does the boathouse open?", by="rival", visibility="participant"))
    context = await platform.assembled(1_000, provider="local")
    assert "Hello there" in str(context["sections"])
    assert "boathouse" not in str(context["sections"])
    await platform.recorded(asked("q2", "When does the boathouse open?"))
    assert "nine in the morning" in str((await platform.assembled(1_000, provider="local"))["sections"])
