"""Recording: what a batch refers to is there, in reach, and of this tenant; what it makes is new."""

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
    claimed,
    forked,
    human,
    opened,
    problem,
    ran,
    replied,
)
from served import Rows

DOCUMENT = {"document": {"name": "n", "sha256": "0" * 64}}


@pytest.mark.parametrize(
    ("event", "location"),
    [
        (asked("m1", "Again"), "message_id"),
        (ran("r1"), "run_id"),
        (called("c1"), "call_id"),
        (claimed("k1", {"message_id": "m1"}), "claim_id"),
        (agent("agent"), "participant_id"),
        (forked("aside"), "branch_id"),
        (forked("main"), "branch_id"),
        ({**asked("m9", "x"), "parts": [{"type": "tool_call", "id": "c1", "name": "t"}]}, "parts[0].id"),
    ],
)
async def test_an_id_in_use_is_refused_by_its_place(platform: Platform, event: Json, location: str) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"), ran("r1"), called("c1"), forked("aside"))
    await platform.recorded(claimed("k1", {"run_id": "r1"}))
    refused = await platform.record(asked("m2", "First"), event)
    assert problem(refused, 409, "id_taken")["location"] == f"events[1].{location}"


@pytest.mark.parametrize(
    "twice",
    [
        asked("m1", "Hello"),
        ran("r1"),
        called("c1"),
        claimed("k1", DOCUMENT),
        agent("second"),
        forked("aside"),
        {**asked("m2", "x"), "parts": [{"type": "tool_call", "id": "c2", "name": "t"}] * 2},
    ],
)
async def test_an_id_twice_in_one_batch_is_refused(platform: Platform, twice: Json) -> None:
    await platform.recorded(*OPENING)
    refused = await platform.record(twice, {**twice, "occurred_at": "2026-01-01T00:00:00Z"})
    problem(refused, 409, "id_taken")


async def test_a_conversation_of_that_id_is_refused(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    refused = await platform.record(opened(title="Another"), human())
    assert problem(refused, 409, "id_taken")["location"] == "conversation_id"


REFERENCES: list[tuple[Json, str]] = [
    (asked("x", "x", by="p-there"), "participant_id"),
    (asked("x", "x", shared_with=["p-there"]), "shared_with"),
    (asked("x", "x", run_id="r-there"), "run_id"),
    (ran("x", parent_run_id="r-there"), "parent_run_id"),
    (called("x", message_id="m-there"), "message_id"),
    (called("x", run_id="r-there"), "run_id"),
    (answered("c-there", "x"), "call_id"),
    (claimed("x", {"call_id": "c-there"}), "rests_on[0].call_id"),
    (claimed("x", {"message_id": "m-there"}), "rests_on[0].message_id"),
    (claimed("x", {"run_id": "r-there"}), "rests_on[0].run_id"),
    (claimed("x", {"claim_id": "k-there"}), "rests_on[0].claim_id"),
    (claimed("x", DOCUMENT, run_id="r-there"), "run_id"),
    (claimed("x", DOCUMENT, message_id="m-there"), "message_id"),
    (claimed("x", DOCUMENT, replaces_claim_id="k-there"), "replaces_claim_id"),
    (claimed("x", DOCUMENT, by="p-there"), "participant_id"),
    (agent("x", parent_participant_id="p-there"), "parent_participant_id"),
    (
        {**asked("x", "x"), "parts": [{"type": "tool_call_response", "id": "c-there", "response": 1}]},
        "parts[0].id",
    ),
]
THERE = (human("p-there"), asked("m-there", "x", by="p-there"), ran("r-there", by="p-there"))
THERE += (called("c-there", by="p-there"), claimed("k-there", DOCUMENT, by="p-there"))


async def refusal(platform: Platform, event: Json, **more: Any) -> Json:
    return problem(await platform.record(event, **more), 422, "unknown_reference")


@pytest.mark.parametrize(("event", "location"), REFERENCES)
async def test_what_another_conversation_has_is_refused_like_what_is_missing(
    platform: Platform, event: Json, location: str
) -> None:
    await platform.recorded(*OPENING)
    missing = await refusal(platform, event)
    assert missing["location"] == f"events[0].{location}"
    await platform.recorded(opened(), *THERE, at="elsewhere")
    assert await refusal(platform, event) == missing


@pytest.mark.parametrize(
    ("event", "missing"),
    [
        (answered("c2", "x"), answered("c-none", "x")),
        (asked("x", "x", run_id="r1"), asked("x", "x", run_id="r-none")),
        (called("x", message_id="m1"), called("x", message_id="m-none")),
        (forked("x", parent="aside"), forked("x", parent="b-none")),
    ],
)
async def test_what_another_tenant_has_is_refused_like_what_is_missing(
    platform: Platform, neighbour: Platform, event: Json, missing: Json
) -> None:
    await platform.recorded(*OPENING)
    assert await refusal(platform, event) == await refusal(platform, missing)
    assert neighbour.tenant_id != platform.tenant_id


async def test_another_tenants_conversation_and_branch_answer_like_missing_ones(
    platform: Platform, neighbour: Platform
) -> None:
    foreign = await platform.record(asked("x", "x"))
    assert problem(foreign, 404, "not_found") == (await platform.record(asked("x", "x"), at="none")).json()
    await platform.recorded(*OPENING)
    foreign = await platform.record(asked("x", "x"), branch="aside")
    missing = await platform.record(asked("x", "x"), branch="b-none")
    assert problem(foreign, 404, "not_found") == missing.json()
    assert neighbour.tenant_id != platform.tenant_id


async def test_a_sibling_branchs_items_are_refused_like_what_is_missing(platform: Platform) -> None:
    await platform.recorded(*OPENING, forked("one"), forked("two"))
    await platform.recorded(asked("m1", "x"), ran("r1"), called("c1"), branch="one")
    for event, missing in (
        (answered("c1", "x"), answered("c-none", "x")),
        (called("c2", message_id="m1"), called("c2", message_id="m-none")),
        (ran("r2", parent_run_id="r1"), ran("r2", parent_run_id="r-none")),
    ):
        assert await refusal(platform, event, branch="two") == await refusal(platform, missing, branch="two")
        await refusal(platform, event)


async def test_what_came_after_the_cut_off_is_out_of_a_forks_reach(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "x"), called("c1"), ran("r1"))
    await platform.recorded(forked("early", at_seq=4))
    assert (await refusal(platform, answered("c1", "x"), branch="early"))["location"] == "events[0].call_id"
    await refusal(platform, called("c2", run_id="r1"), branch="early")
    await platform.recorded(called("c2", message_id="m1"), branch="early")


async def test_a_run_names_an_assembly_of_its_own_lineage_only(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"), forked("one"), forked("two"))
    made = (await platform.assembled())["assembly_id"]
    on_one = (await platform.assembled(branch="one"))["assembly_id"]
    await platform.recorded(*OPENING, at="elsewhere")
    elsewhere = (await platform.assembled(at="elsewhere"))["assembly_id"]
    missing = await refusal(platform, ran("r", assembly_id="none"))
    assert await refusal(platform, ran("r", assembly_id=on_one), branch="two") == missing
    assert await refusal(platform, ran("r", assembly_id=elsewhere)) == missing
    await platform.recorded(ran("r1", assembly_id=on_one), branch="one")
    await platform.recorded(ran("r2", assembly_id=made))


async def test_a_run_is_linked_to_the_assembly_it_used(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    made = (await platform.assembled())["assembly_id"]
    await platform.recorded(ran("r1", assembly_id=made), replied("m2", "Hi", run_id="r1"))
    found = await rows(
        "MATCH (m:Message {tenant_id: $t})<-[:PRODUCED]-(:ModelRun)-[:USED]->(a:ContextAssembly) "
        "RETURN m.message_id AS message, a.uid AS assembly",
        t=platform.tenant_id,
    )
    assert found == [{"message": "m2", "assembly": made}]
