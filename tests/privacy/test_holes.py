"""What is left of contexts and branches when a part of them was erased: how much, and what is not there."""

from __future__ import annotations

from agent_platform import Json, agent, asked, forked, human, opened, replied, shown
from officers import Office

TALK = (
    opened(user_id="u-ben"),
    human("ben"),
    human("mia"),
    agent(),
    asked("b1", "Ben asks for a train.", "ben", subject_ids=["u-ben"]),
    asked("m1", "Mia comes along.", "mia", subject_ids=["u-mia"]),
    asked("m2", "Mia has a dog.", "mia", subject_ids=["u-mia"]),
    replied("b2", "It leaves at nine.", subject_ids=["u-ben"]),
    asked("b3", "Ben wants a seat.", "ben", subject_ids=["u-ben"]),
)


async def test_contexts_say_how_many_events_of_their_branch_are_erased(office: Office) -> None:
    made = await office.platform.recorded(*TALK)
    whole = await office.platform.assembled(by="agent")
    assert whole["redacted_count"] == 0
    await office.platform.recorded(forked("early", at_seq=6), forked("late"))
    await office.platform.recorded(asked("b4", "On the side.", "ben"), branch="late")
    await office.erased("u-mia")
    counts = {}
    for branch in ("main", "early", "late"):
        context = await office.platform.assembled(by="agent", branch=branch)
        assert "Mia" not in shown(context)
        counts[branch] = context["redacted_count"]
        told = await office.platform.explained(context["assembly_id"])
        assert told["redacted_count"] == context["redacted_count"]
    assert counts["early"] == counts["main"] - 1, "the dog was told of after the fork"
    assert counts["late"] == counts["main"] >= 2
    assert made["head"] == 9


async def test_a_replay_names_what_was_erased_since_and_finds_no_other_difference(office: Office) -> None:
    made = await office.platform.recorded(*TALK)
    context = await office.platform.assembled(by="agent")
    assert "Mia has a dog." in shown(context)
    before = await replayed(office, context)
    assert (before["same"], before["reproducible"], before["erased"]) == (True, True, [])
    assert (await office.platform.explained(context["assembly_id"]))["erased"] == []
    had = {item["uid"] for one in context["sections"] for item in one["items"]}
    await office.erased("u-mia")
    after = await replayed(office, context)
    assert (after["same"], after["diff"]) == (True, {}), "others have the room, which makes no difference"
    assert (after["reproducible"], after["not_reproducible_because"]) == (False, ["erased"])
    assert len(after["erased"]) == 2 and set(after["erased"]) <= had
    told = await office.platform.explained(context["assembly_id"])
    assert told["erased"] == after["erased"]
    assert "mia" not in str(told).lower(), "by ids of the service alone"
    assert made["head"] == 9


async def replayed(office: Office, context: Json) -> Json:
    answer = await office.platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert answer.status_code == 200, answer.text
    return answer.json()
