"""Forks: a branch reads its ancestors up to its cut-off, and never a sibling."""

from __future__ import annotations

from agent_platform import (
    OPENING,
    Platform,
    answered,
    asked,
    called,
    forked,
    problem,
    ran,
    replied,
    section,
    shown,
)


async def words(platform: Platform, branch: str = "main") -> set[str]:
    """Which of the one-word messages a context of this branch shows."""
    context = await platform.assembled(4000, branch=branch)
    return {word for word in shown(context).split() if word.isupper() and word.isalpha() and len(word) > 3}


async def test_a_fork_sees_its_ancestors_up_to_the_cut_off_and_never_a_sibling(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m4", "FOUR"), asked("m5", "FIVE"), forked("one", at_seq=4))
    await platform.recorded(forked("two"))
    await platform.recorded(asked("o1", "INONE"), branch="one")
    await platform.recorded(asked("t1", "INTWO"), branch="two")
    await platform.recorded(asked("m9", "LATER"))
    assert await words(platform) == {"FOUR", "FIVE", "LATER"}
    assert await words(platform, "one") == {"FOUR", "INONE"}
    assert await words(platform, "two") == {"FOUR", "FIVE", "INTWO"}


async def test_a_fork_of_a_fork_sees_each_stretch_up_to_its_own_cut_off(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m4", "FOUR"), asked("m5", "FIVE"), forked("one", at_seq=5))
    await platform.recorded(asked("o6", "SIXONE"), asked("o7", "SEVENONE"), branch="one")
    await platform.recorded(forked("deep", parent="one", at_seq=6))
    await platform.recorded(asked("d7", "SEVENDEEP"), branch="deep")
    await platform.recorded(asked("o8", "EIGHTONE"), branch="one")
    assert await words(platform, "deep") == {"FOUR", "FIVE", "SIXONE", "SEVENDEEP"}
    context = await platform.assembled(branch="deep")
    explained = await platform.explained(context["assembly_id"])
    assert (context["head"], explained["branch_excluded_count"]) == (7, 2), "SEVENONE and EIGHTONE"


async def test_a_fork_at_an_early_place_of_its_grandparent_skips_its_parents_own_events(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, asked("m4", "FOUR"), asked("m5", "FIVE"), forked("one", at_seq=5))
    await platform.recorded(asked("o6", "SIXONE"), branch="one")
    await platform.recorded(forked("old", parent="one", at_seq=4))
    await platform.recorded(asked("x5", "FIVEOLD"), branch="old")
    assert await words(platform, "old") == {"FOUR", "FIVEOLD"}


async def test_a_fork_made_in_the_batch_that_opens_the_conversation(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m4", "FOUR"), forked("one"), asked("m6", "LATER"))
    await platform.recorded(asked("o5", "FIVEONE"), branch="one")
    assert await words(platform, "one") == {"FOUR", "FIVEONE"}


async def test_one_batch_forks_and_forks_again_from_the_new_branch(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m4", "FOUR"), asked("m5", "FIVE"), forked("one", at_seq=4))
    await platform.recorded(forked("two", parent="one"), forked("three", parent="two"), asked("m9", "LATER"))
    await platform.recorded(asked("t5", "FIVETWO"), branch="two")
    await platform.recorded(asked("h5", "FIVETHREE"), branch="three")
    assert await words(platform, "two") == {"FOUR", "FIVETWO"}
    assert await words(platform, "three") == {"FOUR", "FIVETHREE"}
    refused = problem(
        await platform.record(forked("five", parent="four"), forked("four")), 422, "unknown_reference"
    )
    assert "events[0].parent_branch_id" in refused["detail"]


async def test_each_of_many_forks_finds_its_own_answer_to_a_call_that_all_inherit(platform: Platform) -> None:
    branches = [f"b{n}" for n in range(20)]
    await platform.recorded(*OPENING, asked("m4", "Look it up."), called("c1"), *map(forked, branches))
    for branch in branches:
        await platform.recorded(answered("c1", f"of {branch}"), ran(f"r-{branch}"), branch=branch)
    for branch in branches:
        asks = {"conversation_id": "trip", "branch_id": branch, "participant_id": "agent"}
        whole = await platform.send("POST", "/v1/artifacts/c1/rehydrate", asks)
        assert whole.json()["content"] == f"of {branch}"
        context = await platform.assembled(branch=branch, profile="thorough")
        told = await platform.send("GET", f"/v1/assemblies/{context['assembly_id']}/why-not/c1")
        assert told.json()["included"], told.text


async def test_a_fork_cannot_begin_where_its_parent_has_not_been(platform: Platform) -> None:
    await platform.recorded(*OPENING, forked("one", at_seq=2))
    for event in (forked("two", at_seq=6), forked("two", parent="one", at_seq=3)):
        [error] = problem(await platform.record(event), 422, "invalid_request")["errors"]
        assert error["location"] == "events[0].at_seq"


async def test_writing_on_after_a_fork_leaves_the_parents_numbers_alone(platform: Platform) -> None:
    await platform.recorded(*OPENING, forked("one", at_seq=3))
    assert (await platform.recorded(asked("o1", "x"), branch="one", expected_head=3))["head"] == 4
    assert (await platform.recorded(asked("m1", "x"), expected_head=4))["head"] == 5
    assert (await platform.recorded(asked("o2", "x"), branch="one"))["head"] == 5


async def test_a_call_that_its_parent_answered_after_the_cut_off_is_still_open_in_the_fork(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, asked("m1", "Which seat?"), called("c1", {"key": "seat"}))
    await platform.recorded(forked("one"), answered("c1", "ROWTWELVE"), ran("r1"))
    main = await platform.assembled(profile="thorough")
    one = await platform.assembled(branch="one", profile="thorough")
    assert "ROWTWELVE" in shown(main) and not section(main, "recovery")["items"]
    assert "ROWTWELVE" not in shown(one)
    [item] = section(one, "recovery")["items"]
    assert (item["kind"], item["why"]) == ("tool_call", "pending")


async def test_a_fork_that_answered_for_itself_shows_its_own_answer_and_no_open_call(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING, asked("m1", "Which seat?"), called("c1", {"key": "seat"}))
    await platform.recorded(forked("one"), answered("c1", "ROWTWELVE"))
    await platform.recorded(answered("c1", "ROWNINE"), branch="one")
    fresh = await platform.assembled(branch="one")
    assert "ROWNINE" in section(fresh, "current_exchange")["text"]
    assert not section(fresh, "recovery")["items"]
    await platform.recorded(ran("r1"), replied("m2", "Nine", run_id="r1"), branch="one")
    seen = await platform.assembled(branch="one", profile="thorough")
    assert "ROWNINE" in section(seen, "tool_memories")["text"]
    assert not section(seen, "recovery")["items"]
    assert "ROWTWELVE" not in shown(fresh) + shown(seen)


async def test_a_forks_answer_is_none_of_its_parent(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Which seat?"), called("c1"), forked("one"))
    await platform.recorded(answered("c1", "ROWNINE"), branch="one")
    main = await platform.assembled()
    assert "ROWNINE" not in shown(main)
    assert len(section(main, "recovery")["items"]) == 1


async def test_a_run_on_a_fork_has_not_seen_for_its_parent(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "x"), called("c1"), answered("c1", "RESULT"), forked("one"))
    await platform.recorded(ran("r1"), branch="one")
    main, one = [await platform.assembled(branch=name, profile="thorough") for name in ("main", "one")]
    assert "RESULT" in section(main, "current_exchange")["text"]
    assert "RESULT" in section(one, "tool_memories")["text"]


async def test_the_newest_user_message_is_found_behind_many_others_and_a_fork(platform: Platform) -> None:
    await platform.recorded(
        *OPENING, asked("m1", "THEQUESTION"), *(replied(f"a{n}", f"step {n}") for n in range(520))
    )
    await platform.recorded(forked("one"))
    await platform.recorded(replied("o1", "step"), replied("o2", "step"), branch="one")
    for branch in ("main", "one"):
        context = await platform.assembled(1000, branch=branch)
        assert "THEQUESTION" in section(context, "current_exchange")["text"]
