"""Recording: a batch is applied whole, once, and in order."""

from __future__ import annotations

import asyncio
import base64
import json

import pytest
from agent_platform import (
    OPENING,
    TRIP,
    Platform,
    answered,
    asked,
    called,
    opened,
    problem,
    ran,
    replied,
)
from served import Rows

from service.model.consistency import SIGNATURE_BYTES, ConsistencyToken

WRITERS = 16
TWINS = 8


async def test_a_batch_gets_numbers_without_a_gap_and_the_next_goes_on(platform: Platform) -> None:
    first = await platform.recorded(*OPENING, asked("m1", "Hello"))
    second = await platform.recorded(ran("r1"), replied("m2", "Hi", run_id="r1"))
    assert [event["seq"] for event in first["events"] + second["events"]] == [1, 2, 3, 4, 5, 6]
    assert (first["head"], second["head"]) == (4, 6)
    assert len({event["uid"] for event in first["events"] + second["events"]}) == 6


@pytest.mark.parametrize("key", [None, "attempt-1"])
async def test_a_batch_sent_again_is_applied_once_and_answered_the_same(
    platform: Platform, key: str | None
) -> None:
    first = await platform.recorded(*OPENING, idempotency_key=key)
    again = await platform.recorded(*OPENING, idempotency_key=key)
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert (again["head"], again["events"]) == (first["head"], first["events"])
    third = await platform.recorded(asked("m1", "Hello"))
    assert third["head"] == 4


@pytest.mark.parametrize("key", [None, "attempt-1"])
async def test_twins_sent_at_once_are_applied_once_and_answered_the_same(
    platform: Platform, rows: Rows, key: str | None
) -> None:
    answers = await asyncio.gather(*(platform.recorded(*OPENING, idempotency_key=key) for _ in range(TWINS)))
    assert sorted(answer["repeated"] for answer in answers) == [False] + [True] * (TWINS - 1)
    assert len({str((answer["head"], answer["events"])) for answer in answers}) == 1
    [found] = await rows("MATCH (e:Event {tenant_id: $t}) RETURN count(e) AS events", t=platform.tenant_id)
    assert found["events"] == 3


async def test_a_key_used_for_another_body_is_refused(platform: Platform) -> None:
    await platform.recorded(*OPENING, idempotency_key="k")
    other = await platform.record(asked("m1", "Hello"), idempotency_key="k")
    problem(other, 422, "idempotency_key_reused")
    assert (await platform.recorded(asked("m1", "Hello")))["head"] == 4


async def test_a_key_belongs_to_its_tenant(platform: Platform, neighbour: Platform) -> None:
    await platform.recorded(*OPENING, idempotency_key="k")
    problem(await neighbour.record(opened(), idempotency_key="k"), 409, "id_taken")


async def test_a_bad_reference_in_the_fifth_event_leaves_nothing_behind(
    platform: Platform, rows: Rows
) -> None:
    before = await rows("MATCH (n {tenant_id: $t}) RETURN count(n) AS nodes", t=platform.tenant_id)
    refused = await platform.record(*OPENING, asked("m1", "Hello"), asked("m2", "Hello?", run_id="nowhere"))
    assert problem(refused, 422, "unknown_reference")["location"] == "events[4].run_id"
    assert await rows("MATCH (n {tenant_id: $t}) RETURN count(n) AS nodes", t=platform.tenant_id) == before, (
        "neither events nor the conversation nor its user"
    )
    problem(await platform.assemble(), 404, "not_found")


async def test_a_refused_batch_does_not_move_the_head(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    refused = await platform.record(*(asked(f"m{n}", "Hello") for n in range(4)), answered("c-nowhere"))
    assert problem(refused, 422, "unknown_reference")["location"] == "events[4].call_id"
    assert (await platform.recorded(asked("m0", "Hello"), expected_head=3))["head"] == 4


async def test_a_refused_key_may_be_used_for_the_corrected_batch(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    await platform.record(answered("c-nowhere"), idempotency_key="k")
    assert (await platform.recorded(asked("m1", "Hello"), idempotency_key="k"))["head"] == 4


async def test_two_clients_with_the_same_expected_head_are_one_201_and_one_409(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    both = await asyncio.gather(
        platform.record(asked("m1", "One"), expected_head=3),
        platform.record(asked("m2", "Two"), expected_head=3),
    )
    won, lost = sorted(both, key=lambda response: response.status_code)
    assert won.status_code == 201
    assert problem(lost, 409, "head_moved")["head"] == 4
    assert won.json()["head"] == 4


async def test_a_conditional_batch_sent_again_is_answered_and_not_refused(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    first = await platform.recorded(asked("m1", "One"), expected_head=3)
    again = await platform.recorded(asked("m1", "One"), expected_head=3)
    assert again["repeated"] and again["events"] == first["events"]


async def test_writers_at_once_get_numbers_without_gap_or_repeat(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    answers = await asyncio.gather(
        *(
            platform.recorded(asked(f"m{n}", "Hello"), called(f"c{n}"), answered(f"c{n}", "ok"))
            for n in range(WRITERS)
        )
    )
    seqs = [event["seq"] for answer in answers for event in answer["events"]]
    assert sorted(seqs) == list(range(4, 4 + 3 * WRITERS))
    for answer in answers:
        first = answer["events"][0]["seq"]
        assert [event["seq"] for event in answer["events"]] == [first, first + 1, first + 2]


async def test_conversations_opened_at_once_by_two_writers_are_one(platform: Platform) -> None:
    answers = await asyncio.gather(
        *(platform.record(*OPENING, asked(f"m{n}", "Hello")) for n in range(WRITERS // 2))
    )
    refused = [response for response in answers if response.status_code != 201]
    assert len(refused) == WRITERS // 2 - 1
    for response in refused:
        assert problem(response, 409, "id_taken")["location"] == "conversation_id"


async def test_the_same_new_id_from_two_writers_is_taken_once(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    answers = await asyncio.gather(
        *(platform.record(asked("m1", f"Version {n}")) for n in range(WRITERS // 2))
    )
    refused = [response for response in answers if response.status_code != 201]
    assert len(refused) == WRITERS // 2 - 1
    for response in refused:
        assert problem(response, 409, "id_taken")["location"] == "events[0].message_id"


async def test_a_conversation_begins_with_its_own_event_on_main(platform: Platform) -> None:
    problem(await platform.record(asked("m1", "Hello")), 404, "not_found")
    problem(await platform.record(opened(), branch="aside"), 404, "not_found")


async def test_a_second_conversation_event_is_refused_by_its_place(platform: Platform) -> None:
    refused = await platform.record(*OPENING, opened())
    [error] = problem(refused, 422, "invalid_request")["errors"]
    assert error["location"] == "events[3]"


async def test_seats_and_forks_are_recorded_on_main_only(platform: Platform) -> None:
    await platform.recorded(*OPENING, {"kind": "fork", "branch_id": "aside"})
    seat = {"kind": "participant", "participant_id": "p", "participant_kind": "agent"}
    for event in (seat, {"kind": "fork", "branch_id": "deeper"}):
        [error] = problem(await platform.record(event, branch="aside"), 422, "invalid_request")["errors"]
        assert error["location"] == "events[0].kind"


async def test_events_of_equal_time_keep_the_order_of_the_batch(platform: Platform, rows: Rows) -> None:
    at = "2026-01-02T03:04:05Z"
    await platform.recorded(*OPENING, *(asked(f"m{n}", f"Number {n}", occurred_at=at) for n in range(20)))
    found = await rows(
        "MATCH (m:Message {tenant_id: $t}) RETURN m.message_id AS id ORDER BY m.seq", t=platform.tenant_id
    )
    assert [row["id"] for row in found] == [f"m{n}" for n in range(20)]


async def test_every_write_answers_a_token_that_reads_accept(platform: Platform) -> None:
    response = await platform.record(*OPENING, asked("m1", "Hello"))
    token = response.headers["Consistency-Token"]
    assert token == response.json()["consistency_token"]
    context = await platform.assemble(Consistency_Token=token)
    assert context.status_code == 201
    later = context.headers["Consistency-Token"]
    explained = await platform.send(
        "GET", f"/v1/assemblies/{context.json()['assembly_id']}", Consistency_Token=later
    )
    assert explained.status_code == 200


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "not a token",
        "W10",  # []
        "bnVsbA",  # null
        "W1siRkI6Z2FyYmFnZSJdLG51bGwsbnVsbF0",  # a bookmark that is none
        "W1siXHVkODAwIl0sbnVsbCxudWxsXQ",  # a bookmark that is not Unicode text
        "W1tbW10sbnVsbCxudWxsXQ",
        "A" * 4096,
        "A" * 4097,
    ],
)
async def test_a_token_that_is_none_is_refused(platform: Platform, token: str) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    context = await platform.assembled()
    for response in (
        await platform.assemble(Consistency_Token=token),
        await platform.send("GET", f"/v1/assemblies/{context['assembly_id']}", Consistency_Token=token),
    ):
        [error] = problem(response, 422, "invalid_request")["errors"]
        assert error["location"] == "Consistency-Token"


async def test_a_token_that_somebody_else_made_is_refused(platform: Platform) -> None:
    response = await platform.record(*OPENING, asked("m1", "Hello"))
    token = response.headers["Consistency-Token"]
    signed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    body = signed[SIGNATURE_BYTES:]
    made_up = (body, bytes(SIGNATURE_BYTES) + body, signed[:-1] + b"9]", signed[:SIGNATURE_BYTES])
    stranger = ConsistencyToken(tuple(json.loads(body)[0])).encode(b"the secret of another service")
    for one in (*(base64.urlsafe_b64encode(raw).decode().rstrip("=") for raw in made_up), stranger):
        [error] = problem(await platform.assemble(Consistency_Token=one), 422, "invalid_request")["errors"]
        assert error == {"location": "Consistency-Token", "problem": "is not a token of this service"}
    assert (await platform.assemble(Consistency_Token=token)).status_code == 201


async def test_a_batch_of_a_thousand_events_is_taken_and_one_more_is_not(platform: Platform) -> None:
    events = [*OPENING, *(asked(f"m{n}", f"Number {n}") for n in range(997))]
    assert (await platform.recorded(*events))["head"] == 1000
    [error] = problem(await platform.record(*events, asked("more", "x")), 422, "invalid_request")["errors"]
    assert error == {"location": "events", "problem": "has too many items: at most 1000"}
    [error] = problem(await platform.record(at=TRIP), 422, "invalid_request")["errors"]
    assert error["location"] == "events"
