"""A person's name in what others recorded, which nobody said is about the person: shown before an erasure,
never silently kept."""

from __future__ import annotations

from agent_platform import Json, agent, answered, asked, called, human, opened, problem
from officers import Office
from served import Rows

BODIES = "MATCH (e:Event)-[:HAS_PAYLOAD]->(p) WHERE e.uid IN $uids RETURN p.body AS body ORDER BY e.seq"
SPOKEN = 'Mía "Zq" Li'


async def test_whoever_is_named_elsewhere_is_listed_for_somebody_to_look(office: Office) -> None:
    platform = office.platform
    await platform.recorded(
        opened(user_id="u-mia"), human("mia"), asked("own", f"I am {SPOKEN}.", "mia"), at="hers"
    )
    await platform.recorded(opened(user_id="u-ben"), human("ben"), agent(), at="his")
    about = {"subject_ids": ["u-ben", "u-mia"]}
    events = (
        asked("named", f"Tell {SPOKEN.upper()} that I am late.", "ben"),
        asked("known", f"{SPOKEN} knows.", "ben", **about),
        asked("inside", "SmíaX and mial are no names of hers, nor is human.", "ben"),
        called("c", {"to": {SPOKEN: 1}}),
        answered("c", {"sent": True}),
    )
    await platform.recorded(*events, at="his")
    await office.asked("erase", "u-mia", names=[SPOKEN, "Mía"])
    plan = (await office.previewed("erase"))["plan"]
    assert plan["mention_count"] == len(plan["mentions"]) == 2
    listed = await everything_listed(office)
    names = {one["body"].get("message_id") or one["body"]["call_id"]: one for one in listed}
    assert {name: one["listed_as"] for name, one in names.items()} == {
        "named": "mention",
        "c": "mention",
        "known": "review",
    }
    assert all((one["conversation_id"], one["branch_id"]) == ("his", "main") for one in listed)


async def everything_listed(office: Office) -> list[Json]:
    """The review of the request, page by page."""
    listed: list[Json] = []
    cursor = ""
    while True:
        answer = await office.second.send("GET", f"/v1/privacy-requests/erase/review?limit=2{cursor}")
        assert answer.status_code == 200, answer.text
        listed += answer.json()["events"]
        if answer.json()["next_cursor"] is None:
            return listed
        cursor = f"&cursor={answer.json()['next_cursor']}"


async def test_a_review_shows_who_spoke_unknown_and_is_nobody_elses_to_see(
    office: Office, stranger: Office
) -> None:
    path = "/v1/privacy-requests/erase/review"
    await office.platform.recorded(
        opened(user_id="u-mia"), human("mia"), human("somebody", user_id=None), at="hers"
    )
    await office.asked("erase", "u-mia")
    problem(await office.first.send("GET", path), 404, "not_found")
    await office.previewed("erase")
    shown = (await office.first.send("GET", path)).json()
    [seat] = shown["unknown_speakers"]
    assert (seat["conversation_id"], seat["participant_id"]) == ("hers", "somebody")
    problem(await stranger.first.send("GET", path), 404, "not_found")


async def test_a_stranger_of_the_same_name_in_another_tenant_is_not_listed(
    office: Office, stranger: Office
) -> None:
    for one in (office, stranger):
        await one.platform.recorded(opened(user_id="u-mia"), human("mia"), at="hers")
        await one.platform.recorded(
            opened(user_id="u-ben"), human("ben"), asked("q", f"{SPOKEN}!", "ben"), at="his"
        )
    await office.asked("erase", "u-mia", names=[SPOKEN])
    assert (await office.previewed("erase"))["plan"]["mention_count"] == 1


async def test_what_is_listed_for_review_goes_whole_where_an_officer_decides_so(
    office: Office, rows: Rows
) -> None:
    platform = office.platform
    await platform.recorded(opened(user_id="u-mia"), human("mia"), at="hers")
    both = asked("both", f"{SPOKEN} and I are late.", "ben", subject_ids=["u-ben", "u-mia"])
    await platform.recorded(opened(user_id="u-ben"), human("ben"), both, at="his")
    await office.asked("erase", "u-mia", names=[SPOKEN])
    [uid] = (await office.previewed("erase"))["plan"]["review"]
    plan = await office.previewed("erase", **{uid: "erase"})
    assert plan["plan"]["review"] == []
    assert (await office.approved("erase", plan["plan_digest"]))["stage"] == "done"
    assert await rows(BODIES, uids=[uid]) == []
