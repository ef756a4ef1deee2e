"""Whose view a compaction changes, and who sees which of its lines."""

from __future__ import annotations

from agent_platform import (
    OPENING,
    NewPlatform,
    Platform,
    agent,
    answered,
    asked,
    called,
    forked,
    human,
    problem,
    replied,
    section,
    shown,
)
from compacting import TALK, behind, marks


async def test_a_siblings_compaction_never_applies_and_a_fork_takes_over_its_parents(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, *TALK, asked("m4", "And luggage?"))
    await platform.recorded(forked("early", at_seq=12), forked("other", at_seq=12))
    await platform.recorded(asked("o1", "Let us try the train."), asked("o2", "Go on."), branch="other")
    await platform.compacted("k-other", "other")
    await platform.compacted("k-main")
    await platform.recorded(forked("late"))
    heard = {
        branch: [mark["compaction_id"] for mark in await marks(platform, branch)]
        for branch in ("main", "early", "other", "late")
    }
    assert heard == {"main": ["k-main"], "early": [], "other": ["k-other"], "late": ["k-main"]}
    for branch in ("early", "other", "late"):
        await platform.recorded(asked(f"{branch}-now", "And now?"), branch=branch)
    views = {
        branch: section(
            await platform.assembled(4000, branch=branch, profile="thorough"), "compacted_history"
        )
        for branch in heard
    }
    assert not views["early"]["items"]
    assert "train" in views["other"]["text"] and "train" not in views["main"]["text"] + views["late"]["text"]
    assert views["late"]["items"] == views["main"]["items"]


async def test_a_fork_from_before_a_compaction_of_its_parent_goes_on_without_it(platform: Platform) -> None:
    await platform.recorded(*OPENING, *TALK, asked("m4", "And luggage?"))
    await platform.compacted("k1")
    await platform.recorded(forked("before", at_seq=12), forked("after", at_seq=13))
    assert await marks(platform, "before") == []
    assert len(await marks(platform, "after")) == 1


async def test_what_is_private_is_in_a_line_of_its_own_that_nobody_else_sees(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        agent("rival"),
        human("ben"),
        asked("p1", "My code is OSLO-77.", visibility="participant"),
        asked("p2", "Between us: PARIS-88.", shared_with=["ben"]),
        asked("p3", "For auditors: ROME-99.", visibility="audit"),
        called("c1", {"q": "LIMA-11"}),
        answered("c1", {"found": 3}),
        asked("m4", "And luggage?"),
    )
    await platform.compacted("k1")
    words = ("OSLO-77", "PARIS-88", "ROME-99", "LIMA-11")
    seen = {}
    for who in (None, "mia", "ben", "agent", "rival"):
        [mark] = await marks(platform, participant_id=who)
        seen[who] = [word for word in words if word in str(mark)]
    assert seen == {
        None: [],
        "mia": ["OSLO-77", "PARIS-88"],
        "ben": ["PARIS-88"],
        "agent": ["LIMA-11"],
        "rival": [],
    }
    [mark] = await marks(platform, participant_id="mia")
    private = next(line for line in mark["lines"] if "OSLO-77" in line["text"])
    assert await behind(platform, private, participant_id="mia")
    for who in (None, "ben", "agent"):
        asked_by = f"&participant_id={who}" if who else ""
        refused = await platform.send(
            "GET", f"/v1/summary-lines/{private['uid']}?conversation_id=trip{asked_by}"
        )
        problem(refused, 404, "not_found")
    for who in ("agent", "rival"):
        context = await platform.assembled(4000, by=who, profile="thorough")
        assert [word for word in words if word in shown(context)] == seen[who]


async def test_a_line_is_read_where_its_compaction_stands_and_nowhere_else(
    platform: Platform, new_platform: NewPlatform
) -> None:
    other = await new_platform()
    for tenant in (platform, other):
        await tenant.recorded(*OPENING, *TALK, asked("m4", "And luggage?"), forked("side", at_seq=9))
        await tenant.recorded(asked("s1", "Let us try the train."), asked("s2", "Go on."), branch="side")
        await tenant.recorded(*OPENING, asked("z1", "The other talk."), asked("z2", "Go on."), at="second")
        await tenant.compacted("k-main")
        await tenant.recorded(forked("late"))
        await tenant.compacted("k-side", "side")
        await tenant.compacted("k-second", at="second")

    async def lines(tenant: Platform, branch: str, at: str) -> list[str]:
        [mark] = await marks(tenant, branch, conversation_id=at)
        return [line["uid"] for line in mark["lines"]]

    places = [("main", "trip"), ("side", "trip"), ("main", "second")]
    uids = {place: await lines(platform, *place) for place in places}
    assert all(uids.values())
    reached = {("main", "trip"): {*places[:1]}, ("late", "trip"): {*places[:1]}}
    reached |= {place: {place} for place in places[1:]}
    strangers = await lines(other, "main", "trip")
    for (branch, at), own in reached.items():
        for place, known in [*uids.items(), (None, strangers)]:
            for uid in known:
                path = f"/v1/summary-lines/{uid}?conversation_id={at}&branch_id={branch}"
                answer = await platform.send("GET", path)
                assert answer.status_code == (200 if place in own else 404), (branch, at, place)


async def test_a_class_that_a_provider_may_not_have_stays_out_in_its_line_too(platform: Platform) -> None:
    secret = asked("m1", "The number is 4711-0815.", privacy_class="secret")
    await platform.recorded(*OPENING, secret, asked("m2", "Go on."), asked("m3", "And now?"))
    await platform.compacted("k1")
    context = await platform.assembled(4000, profile="thorough", provider="openai")
    assert "4711" not in shown(context)
    local = await platform.assembled(4000, profile="thorough", provider="local")
    assert "4711" in section(local, "compacted_history")["text"]


async def test_a_subagent_sees_lines_of_its_own_alone(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        agent("scout", participant_kind="subagent", parent_participant_id="agent"),
        asked("m1", "Mia's plan is HAT022."),
        replied("s1", "The scout found LIMA-11.", by="scout"),
        asked("m2", "Go on."),
    )
    await platform.compacted("k1")
    await platform.recorded(
        asked("m3", "Scout, again.", by="agent", shared_with=["scout"], visibility="participant")
    )
    own = await platform.assembled(4000, by="scout", runtime_kind="subagent", profile="thorough")
    assert "LIMA-11" in section(own, "compacted_history")["text"]
    assert "HAT022" not in shown(own)


async def test_a_subagents_released_word_is_in_a_line_that_its_parent_sees(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        agent("scout", participant_kind="subagent", parent_participant_id="agent"),
        replied("s1", "The scout found LIMA-11.", by="scout"),
        {"kind": "release", "participant_id": "scout"},
        asked("m2", "Go on."),
    )
    await platform.compacted("k1")
    assert "LIMA-11" in str(await marks(platform, participant_id="agent"))
    assert "LIMA-11" not in str(await marks(platform, participant_id="mia"))


async def test_the_same_id_again_answers_the_same_and_another_tenants_is_free(
    platform: Platform, neighbour: Platform
) -> None:
    await platform.recorded(*OPENING, *TALK, asked("m4", "And luggage?"))
    first = await platform.compacted("k1")
    again = await platform.compacted("k1")
    assert again["repeated"] and (again["seq"], again["event_uid"]) == (first["seq"], first["event_uid"])
    assert len(await marks(platform)) == 1
    problem(await neighbour.compact("k1", branch="nowhere"), 404, "not_found")
    await platform.recorded(forked("side", at_seq=12))
    taken = problem(await platform.compact("k1", "side"), 409, "id_taken")
    assert taken["location"] == "compaction_id"


async def test_a_continuation_from_before_sees_the_branch_uncompacted(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        *TALK,
        asked("m4", "And luggage?"),
        {"kind": "checkpoint", "checkpoint_id": "s1", "participant_id": "agent"},
        asked("m5", "Later."),
    )
    await platform.compacted("k1")
    context = await platform.assembled(4000, runtime_kind="continuation", profile="thorough")
    assert not section(context, "compacted_history")["items"]
    assert [item["seq"] for item in section(context, "recent_window")["items"]] == [5, 11]
    assert section(await platform.assembled(4000), "compacted_history")["items"]


async def test_a_merge_shows_what_the_other_branch_said_compacted_or_not(platform: Platform) -> None:
    await platform.recorded(*OPENING, *TALK, asked("m4", "And luggage?"), forked("side"))
    await platform.recorded(replied("s1", "Trains leave at 9."), asked("s2", "Good."), branch="side")
    await platform.compacted("k-side", "side")
    head = (await platform.read("/v1/branches/side/transcript"))["head"]
    await platform.recorded({"kind": "merge", "from_branch_id": "side", "from_seq": head})
    context = await platform.assembled(4000, profile="thorough")
    assert "Trains leave at 9." in shown(context)
    assert not section(context, "compacted_history")["items"]
