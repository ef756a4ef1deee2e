"""What is known of a person holds in all conversations of that person, and nowhere else."""

from __future__ import annotations

import asyncio
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
    opened,
    problem,
    remembered,
    retracted,
    section,
    shown,
)
from served import Rows

SEAT = {"conversation_id": "trip", "participant_id": "agent"}


async def known(platform: Platform, user: str = "u-mia", **query: Any) -> Json:
    """What the service answers of a person, for nobody in particular unless the query says more."""
    return await platform.read(f"/v1/users/{user}/memories", **{"conversation_id": None, **query})


def values(answer: Json) -> list[str]:
    return [one["value"] for one in answer["memories"]]


async def test_of_two_hundred_facts_the_current_one_comes_and_the_others_are_counted(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING)
    for first in range(0, 200, 50):
        numbers = range(first, first + 50)
        await platform.recorded(*(remembered(f"m{number}", f"row {number}") for number in numbers))
    answer = await known(platform, query="which seat", limit=10)
    assert values(answer) == ["row 199"]
    assert (answer["omitted"], answer["next_cursor"]) == ({"superseded": 199}, None)
    assert (await known(platform, limit=10, **SEAT))["omitted"] == {"superseded": 199}


async def test_a_conflict_shows_both_sides_next_to_each_other(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        remembered("m1", "window"),
        remembered("m2", "by train", subject="travel"),
        remembered("m3", "aisle", by="agent"),
    )
    answer = await known(platform, limit=1, query="window")
    assert [(one["memory_id"], one["conflicts_with"]) for one in answer["memories"]] == [
        ("m1", ["m3"]),
        ("m3", ["m1"]),
    ]
    rest = await known(platform, limit=1, query="window", cursor=answer["next_cursor"])
    assert [one["memory_id"] for one in rest["memories"]] == ["m2"] and rest["next_cursor"] is None


async def test_the_graph_has_whom_it_is_about_where_it_was_said_and_what_it_supersedes(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(
        *OPENING,
        asked("q1", "The window, please.", privacy_class="sensitive"),
        remembered("m1", "aisle"),
        remembered("m2", "window", message_ids=["q1"]),
        remembered("m3", "middle", by="agent"),
    )
    [found] = await rows(
        "MATCH (o)<-[:SUPERSEDES]-(m:UserMemory {tenant_id: $t, memory_id: 'm2'})-[:ABOUT]->(u:User) "
        "MATCH (m)-[:DERIVED_FROM]->(q:Message) MATCH (m)-[:CONFLICTS_WITH]-(c) "
        "RETURN o.memory_id AS old, u.user_id AS user, q.message_id AS said, c.memory_id AS against, "
        "properties(m) AS m, u.uid AS uid",
        t=platform.tenant_id,
    )
    assert (found["old"], found["user"], found["said"], found["against"]) == ("m1", "u-mia", "q1", "m3")
    memory = found["m"]
    assert (memory["visibility"], memory["privacy_class"]) == ("conversation", "sensitive")
    assert memory["subject_uids"] == [found["uid"]] == [memory["stated_by"]]


async def test_a_later_batch_and_another_conversation_of_the_person_supersede_too(platform: Platform) -> None:
    await platform.recorded(*OPENING, remembered("m1", "window"))
    await platform.recorded(*OPENING, remembered("m2", "aisle"), at="other")
    answer = await known(platform, **SEAT)
    assert values(answer) == ["aisle"] and answer["omitted"] == {"superseded": 1}


async def test_of_many_who_remember_at_once_one_stands(platform: Platform, rows: Rows) -> None:
    places = [f"trip-{number}" for number in range(8)]
    for at in places:
        await platform.recorded(*OPENING, at=at)
    batches = (platform.recorded(remembered(f"m-{at}", f"row {at}"), at=at) for at in places)
    await asyncio.gather(*batches)
    assert (await known(platform))["omitted"] == {"superseded": 7}
    query = "MATCH (m:UserMemory {tenant_id: $t}) WHERE NOT (m)<-[:SUPERSEDES]-() RETURN m.memory_id AS id"
    assert len(await rows(query, t=platform.tenant_id)) == 1


async def test_another_persons_seat_and_another_tenant_get_what_a_missing_person_gets(
    platform: Platform, neighbour: Platform
) -> None:
    await platform.recorded(*OPENING, remembered("m1", "window"))
    await platform.recorded(opened(user_id="u-bo"), human("bo"), agent(), at="bos")
    missing = problem(await platform.send("GET", "/v1/users/nobody/memories"), 404, "not_found")
    for asking, path in (
        (platform, "/v1/users/u-mia/memories?conversation_id=bos&participant_id=agent"),
        (platform, "/v1/users/u-mia/memories?conversation_id=none&participant_id=agent"),
    ):
        assert problem(await asking.send("GET", path), 404, "not_found") == missing
    one = problem(await platform.send("GET", "/v1/user-memories/none"), 404, "not_found")
    foreign = await neighbour.send("GET", "/v1/user-memories/m1")
    assert problem(foreign, 404, "not_found") == one
    assert values(await known(neighbour)) == []
    assert values(await known(platform, "u-bo")) == []


async def test_what_is_private_is_not_even_counted_and_a_branchs_own_stays_there(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        agent("other"),
        remembered("m1", "window", by="agent", visibility="participant"),
        remembered("m2", "for auditors", subject="risk", visibility="audit"),
        forked("aside"),
    )
    await platform.recorded(remembered("m3", "tea", "drink", visibility="branch"), branch="aside")
    assert values(await known(platform, **SEAT)) == ["window"]
    assert values(await known(platform, **SEAT, branch_id="aside")) == ["tea", "window"]
    for seat in ({}, {"conversation_id": "trip", "participant_id": "other"}):
        answer = await known(platform, **seat)
        assert (answer["memories"], answer["omitted"]) == ([], {"audit_only": 1})
    for seat in ("", "?conversation_id=trip&participant_id=other"):
        problem(await platform.send("GET", f"/v1/user-memories/m1{seat}"), 404, "not_found")


async def test_what_was_said_in_private_is_remembered_in_private(platform: Platform) -> None:
    private = asked("q1", "Between us.", by="agent", role="assistant", visibility="participant")
    await platform.recorded(
        *OPENING, private, remembered("m1", "surprise party", by="agent", message_ids=["q1"])
    )
    assert values(await known(platform)) == []
    assert values(await known(platform, **SEAT)) == ["surprise party"]


async def test_a_retraction_ends_a_memory_everywhere_and_nothing_older_comes_back(platform: Platform) -> None:
    await platform.recorded(*OPENING, remembered("m1", "window"), remembered("m2", "aisle"))
    await platform.recorded(*OPENING, retracted("m2"), at="other")
    answer = await known(platform)
    assert (answer["memories"], answer["omitted"]) == ([], {"retracted": 1, "superseded": 1})
    await platform.recorded(retracted("m2"), remembered("m3", "middle"))
    assert values(await known(platform)) == ["middle"]


async def test_the_history_of_a_memory_tells_what_it_superseded_and_what_contradicts_it(
    platform: Platform,
) -> None:
    await platform.recorded(
        *OPENING,
        asked("q1", "The window, please."),
        remembered("m1", "aisle"),
        remembered("m2", "window", message_ids=["q1"]),
        remembered("m3", "middle", by="agent"),
        remembered("m4", "by train", subject="travel"),
    )
    told = await platform.read("/v1/user-memories/m2", **SEAT)
    assert (told["user_id"], told["message_ids"], told["conflicts_with"]) == ("u-mia", ["q1"], ["m3"])
    assert [(one["memory_id"], one["reason"], one["superseded_by"]) for one in told["history"]] == [
        ("m3", None, None),
        ("m1", "superseded", "m2"),
    ]
    whole = await known(platform, include_superseded="true", kind="fact")
    assert values(whole) == ["by train", "middle", "window", "aisle"]


async def test_no_result_of_a_tool_becomes_a_user_memory(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", {"seat": "window"}))
    assert values(await known(platform, **SEAT)) == []
    refused = await platform.record(remembered("m1", "window", message_ids=["c1"]))
    assert problem(refused, 422, "unknown_reference")["location"] == "events[0].message_ids[0]"


async def test_only_what_the_conversation_knows_can_be_corrected_or_retracted(
    platform: Platform, neighbour: Platform
) -> None:
    await platform.recorded(*OPENING, agent("other"), remembered("m1", "x", by="agent", visibility="audit"))
    await platform.recorded(opened(user_id="u-bo"), human("bo"), remembered("m2", "x", by="bo"), at="bos")
    for batch, location in (
        ([retracted("m2")], "events[0].memory_id"),
        ([retracted("none")], "events[0].memory_id"),
        ([retracted("m1", by="other")], "events[0].memory_id"),
        ([remembered("m3", "y", replaces_memory_id="m2")], "events[0].replaces_memory_id"),
        ([remembered("m3", "y", replaces_memory_id="m3")], "events[0].replaces_memory_id"),
    ):
        refused = problem(await platform.record(*batch), 422, "unknown_reference")
        assert refused["location"] == location
    problem(await platform.record(remembered("m1", "again")), 409, "id_taken")
    await platform.recorded(retracted("m1", by="agent"))


async def test_a_correction_is_about_the_same_thing(platform: Platform) -> None:
    await platform.recorded(*OPENING, remembered("m1", "window", confidence=1))
    wrong = remembered("m2", "tea", subject="drink", replaces_memory_id="m1")
    [error] = problem(await platform.record(wrong), 422, "invalid_request")["errors"]
    assert error["location"] == "events[0].replaces_memory_id"
    await platform.recorded(remembered("m2", "aisle", by="agent", confidence=0.1, replaces_memory_id="m1"))
    assert values(await known(platform)) == ["aisle"]


@pytest.mark.parametrize(
    ("change", "location"),
    [
        ({"memory_kind": "rumour"}, "memory_kind"),
        ({"value": ""}, "value"),
        ({"value": "x" * 3000}, "value"),
        ({"value": 7}, "value"),
        ({"confidence": 2}, "confidence"),
        ({"subject": ""}, "subject"),
        ({"valid_from": "2026-02-01T00:00:00Z", "valid_until": "2026-01-01T00:00:00Z"}, ""),
        ({"visibility": "mine"}, "visibility"),
        ({"mood": 1}, "?"),
    ],
)
async def test_a_memory_that_is_none_is_refused_by_its_place(
    platform: Platform, change: Json, location: str
) -> None:
    await platform.recorded(*OPENING)
    [error] = problem(await platform.record(remembered("m1", "x") | change), 422, "invalid_request")["errors"]
    assert error["location"] == f"events[0].{location}".rstrip(".")


async def test_a_memory_needs_a_person(platform: Platform) -> None:
    await platform.recorded(opened(user_id=None), agent())
    refused = problem(await platform.record(remembered("m1", "x", by="agent")), 422, "invalid_request")
    assert refused["errors"][0]["location"] == "events[0].user_id"
    await platform.recorded(remembered("m1", "x", by="agent", user_id="u-bo"), retracted("m1", by="agent"))
    assert (await known(platform, "u-bo"))["omitted"] == {"retracted": 1}


async def test_a_seat_is_asked_for_with_its_conversation(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    for query, location in (
        ("conversation_id=trip", "participant_id"),
        ("participant_id=a", "conversation_id"),
    ):
        refused = await platform.send("GET", f"/v1/users/u-mia/memories?{query}")
        assert problem(refused, 422, "invalid_request")["errors"][0]["location"] == location
    refused = await platform.send("GET", "/v1/users/u-mia/memories?cursor=7")
    assert problem(refused, 422, "invalid_request")["errors"][0]["location"] == "cursor"


async def test_whoever_may_see_a_memory_reads_its_event_and_a_retraction_is_its_actors(
    platform: Platform,
) -> None:
    await platform.recorded(*OPENING)
    made = await platform.recorded(remembered("m1", "window"), retracted("m1"))
    memory, end = (one["uid"] for one in made["events"])
    assert (await platform.read(f"/v1/events/{memory}", participant_id="agent"))["payload"][
        "value"
    ] == "window"
    assert (await platform.read(f"/v1/events/{end}", participant_id="mia"))["kind"] == "retract"
    path = f"/v1/events/{end}?conversation_id=trip&participant_id=agent"
    problem(await platform.send("GET", path), 404, "not_found")


async def test_a_context_has_what_is_in_force_of_its_user_and_counts_what_is_not(platform: Platform) -> None:
    await platform.recorded(
        *OPENING, *(remembered(f"m{number}", f"row {number}") for number in range(200)), at="before"
    )
    await platform.recorded(*OPENING, asked("q1", "Which seat shall we book?"))
    context = await platform.assembled()
    known_of = section(context, "user_memories")
    assert known_of["text"] == "Known of the user:\nfact: seat, is: row 199\n"
    assert not known_of["authoritative"] and known_of["role"] == "user"
    assert [one["count"] for one in context["omissions"] if one["reason"] == "superseded"] == [199]


async def test_a_context_shows_both_sides_of_a_conflict_and_says_so(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        remembered("m1", "window"),
        remembered("m2", "aisle", by="agent"),
        asked("q1", "Which seat shall we book?"),
    )
    context = await platform.assembled()
    assert section(context, "user_memories")["text"] == (
        "Known of the user:\n"
        "fact: seat, is: aisle [another one says otherwise]\n"
        "fact: seat, is: window [another one says otherwise]\n"
    )
    assert [one["why"] for one in section(context, "user_memories")["items"]] == ["conflict", "conflict"]


async def test_instructions_come_first_and_fit_where_idle_facts_do_not(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        remembered("m1", "two cats", subject="pets"),
        remembered("m2", "in German", subject="answers", memory_kind="instruction"),
        asked("q1", "What is the weather like?"),
    )
    lean, wide = await platform.assembled(600), await platform.assembled(8000)
    assert section(lean, "user_memories")["text"].splitlines()[1:] == ["instruction: answers, is: in German"]
    assert section(wide, "user_memories")["text"].splitlines()[1:] == [
        "instruction: answers, is: in German",
        "fact: pets, is: two cats",
    ]


async def test_another_users_conversation_has_none_of_it(platform: Platform) -> None:
    await platform.recorded(*OPENING, remembered("m1", "canary"))
    await platform.recorded(
        opened(user_id="u-bo"), human("bo"), agent(), asked("q1", "Seat?", by="bo"), at="bos"
    )
    context = await platform.assembled(at="bos")
    assert "canary" not in shown(context) and context["omissions"] == []
    path = f"/v1/assemblies/{context['assembly_id']}/why-not/m1"
    problem(await platform.send("GET", path), 404, "not_found")


async def test_what_is_known_goes_where_its_class_may_and_to_the_agent_it_is_for(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        agent("clerk-1", agent="clerk"),
        remembered("m1", "canary", privacy_class="secret"),
        remembered("m2", "by bus", subject="travel", agent="clerk"),
        asked("q1", "How do I travel, in which seat?"),
    )
    context = await platform.assembled()
    reasons = {one["reason"]: one["count"] for one in context["omissions"]}
    assert reasons == {"privacy_class_barred": 1, "for_another_agent": 1}
    assert section(context, "user_memories")["items"] == []
    local = await platform.assembled(by="clerk-1", provider="local")
    assert len(section(local, "user_memories")["items"]) == 2


async def test_an_assembly_is_explained_and_replayed_as_it_was_also_after_a_retraction(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(
        *OPENING, remembered("m1", "window"), remembered("m2", "aisle"), asked("q1", "Which seat?")
    )
    context = await platform.assembled()
    path = f"/v1/assemblies/{context['assembly_id']}"
    await platform.recorded(retracted("m2"), remembered("m3", "middle"))
    replayed = (await platform.send("POST", f"{path}/replay", {})).json()
    assert replayed["same"] and replayed["reproducible"]
    why = {one: (await platform.send("GET", f"{path}/why-not/{one}")).json() for one in ("m1", "m2", "m3")}
    assert (why["m1"]["reason"], why["m1"]["settings"]) == ("superseded", {"superseded_by": why["m2"]["uid"]})
    assert why["m2"]["included"] and why["m3"]["reason"] == "recorded_later"
    [included] = await rows(
        "MATCH (:ContextAssembly {tenant_id: $t})-[i:INCLUDED]->(m:UserMemory) "
        "RETURN m.memory_id AS id, i.rank AS rank, i.tokens > 0 AS priced",
        t=platform.tenant_id,
    )
    assert (included["id"], included["priced"]) == ("m2", True)
    after = await platform.assembled()
    told = (await platform.send("GET", f"/v1/assemblies/{after['assembly_id']}/why-not/m2")).json()
    assert told["reason"] == "retracted" and told["settings"]["retracted_at"] is not None
