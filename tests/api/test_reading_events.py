"""One entry of the log: as it was recorded, checked, and only to those who may see all that it made."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
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
from gone import gone_for_good

from service.graph.driver import Graph
from service.model.caller import TENANT_SCOPES, Caller
from service.model.consistency import ConsistencyToken
from service.usecases.read_event import PayloadState, ReadEvent
from service.usecases.read_transcript import Place

SCOUT = agent("scout", participant_kind="subagent", parent_participant_id="agent")


async def read(platform: Platform, uid: str, **query: Any) -> httpx.Response:
    asked_for = "&".join(f"{name}={value}" for name, value in {"conversation_id": "trip", **query}.items())
    return await platform.send("GET", f"/v1/events/{uid}?{asked_for}")


async def event(platform: Platform, uid: str, **query: Any) -> Json:
    response = await read(platform, uid, **query)
    assert response.status_code == 200, response.text
    return response.json()


async def uids(platform: Platform, *events: Json, **more: Any) -> list[str]:
    """The uids of events that are recorded."""
    return [one["uid"] for one in (await platform.recorded(*events, **more))["events"]]


async def write(graph: Graph, text: str, **params: Any) -> None:
    await graph.write(lambda tx: tx.run(text, params))


async def test_an_event_is_told_with_its_envelope_and_what_was_recorded(platform: Platform) -> None:
    made = await uids(platform, *OPENING, asked("m1", "Which seat?", subject_ids=["u-mia"]), forked("one"))
    told = await event(platform, made[3])
    before = await event(platform, made[2])
    assert (told["uid"], told["seq"], told["kind"], told["branch_id"]) == (made[3], 4, "message", "main")
    assert told["previous_hash"] == before["hash"] and told["at"].endswith("Z")
    assert len(told["subject_uids"]) == 1 and told["actor_uid"] and told["tenant_id"] == platform.tenant_id
    assert told["payload"] == asked("m1", "Which seat?", subject_ids=["u-mia"])
    assert (told["payload_state"], told["hash_holds"], told["commitment_holds"]) == ("present", True, True)
    assert (await event(platform, made[4], participant_id="mia"))["payload"]["kind"] == "fork"


async def test_large_bytes_are_told_by_reference(platform: Platform) -> None:
    large = "x" * 20_000
    made = await uids(platform, *OPENING, called("c1"), answered("c1", large))
    told = await event(platform, made[4], participant_id="agent")
    digest = hashlib.sha256(large.encode()).hexdigest()
    assert told["payload"]["result"] == {"blob": digest, "bytes": 20_000, "json": False}
    assert told["commitment_holds"] is True


@pytest.mark.parametrize("seat", ["", "mia", "ben", "agent", "scout"])
async def test_each_seat_reads_what_it_may_see_and_the_rest_is_not_there(
    platform: Platform, seat: str
) -> None:
    await platform.recorded(*OPENING, human("ben"), SCOUT)
    call = {"type": "tool_call", "id": "c0", "name": "book", "arguments": {"a": 1}}
    thought = {"type": "reasoning", "content": "hm"}
    text = {"type": "text", "content": "Here"}
    pin = {"kind": "pin", "pin_id": "p1", "pin_kind": "decision", "participant_id": "mia", "text": "x"}
    told = {
        "to all": asked("m1", "x", visibility="conversation"),
        "to the branch": asked("m2", "x"),
        "mia's own": asked("m3", "x", visibility="participant"),
        "for ben": asked("m4", "x", shared_with=["ben"]),
        "for auditors": asked("m5", "x", visibility="audit"),
        "the scout's": replied("m6", "x", by="scout"),
        "with a call": {**replied("m7", ""), "parts": [text, call]},
        "with a thought": {**replied("m8", ""), "parts": [text, thought]},
        "a run": ran("r1"),
        "a call": called("c1"),
        "a deferral": answered("c1", call_status="deferred"),
        "a result": answered("c1", "x"),
        "a shared result": called("c2", visibility="branch"),
        "an audit's call": called("c3", visibility="audit"),
        "a pin": pin,
        "skills": {"kind": "skill_state", "participant_id": "agent", "skills": ["s"]},
        "a note": {"kind": "working_memory", "participant_id": "agent", "expected_version": 0, "block": "x"},
        "a shared note": {
            "kind": "working_memory",
            "participant_id": "mia",
            "expected_version": 0,
            "block": "x",
            "shared_with": ["ben"],
        },
        "a checkpoint": {"kind": "checkpoint", "checkpoint_id": "k", "participant_id": "agent"},
        "a run that goes on": ran("r2"),
        "a resume": {"kind": "resume", "participant_id": "agent", "checkpoint_id": "k", "run_id": "r2"},
        "an unpin": {"kind": "unpin", "pin_id": "p1"},
        "a release": {"kind": "release", "participant_id": "scout", "outcome": "failed", "summary": "x"},
    }
    made = await uids(platform, *told.values())
    query = {"participant_id": seat} if seat else {}
    statuses = [(await read(platform, uid, **query)).status_code for uid in made]
    assert set(statuses) == {200, 404}
    everybodys = {"to all", "to the branch", "a shared result", "a pin", "an unpin"}
    agents = {"with a call", "with a thought", "a run", "a call", "a deferral", "a result", "skills"}
    expected = {
        "": everybodys,
        "mia": everybodys | {"mia's own", "for ben", "a shared note"},
        "ben": everybodys | {"for ben", "a shared note"},
        "agent": everybodys
        | agents
        | {"a note", "a checkpoint", "a run that goes on", "a resume", "a release"},
        "scout": {"to all", "an unpin", "the scout's", "a release"},
    }[seat]
    assert {name for name, status in zip(told, statuses, strict=True) if status == 200} == expected


async def test_what_a_subagent_released_is_read_by_its_parent_where_it_was_released(
    platform: Platform,
) -> None:
    [*_, said] = await uids(platform, *OPENING, SCOUT, replied("m1", "the find", by="scout"))
    await platform.recorded(forked("before"), {"kind": "release", "participant_id": "scout"})
    assert (await event(platform, said, participant_id="agent"))["payload"]["message_id"] == "m1"
    problem(await read(platform, said, participant_id="agent", branch_id="before"), 404, "not_found")


async def test_a_compactions_event_is_for_those_who_may_see_all_its_lines(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "One?"), replied("m2", "Yes."), asked("m3", "Two?"))
    first = await platform.compacted("s1")
    assert (await event(platform, first["event_uid"]))["payload"]["lines"]
    await platform.recorded(called("c1"), answered("c1", 1), ran("r1"), replied("m4", "x"), asked("m5", "y"))
    second = await platform.compacted("s2", participant_id="agent")
    problem(await read(platform, second["event_uid"]), 404, "not_found")
    problem(await read(platform, second["event_uid"], participant_id="mia"), 404, "not_found")
    told = await event(platform, second["event_uid"], participant_id="agent")
    assert told["payload"]["compaction_id"] == "s2" and told["commitment_holds"]


async def test_an_event_is_read_on_its_lineage_and_nowhere_else(platform: Platform) -> None:
    [*_, early] = await uids(platform, *OPENING, asked("m1", "x"))
    await platform.recorded(forked("one"), forked("two"))
    [late] = await uids(platform, asked("m2", "x"))
    [own] = await uids(platform, asked("m3", "x"), branch="one")
    for uid, branch, status in (
        *((early, one, 200) for one in ("main", "one", "two")),
        *((late, "main", 200), (late, "one", 404)),
        *((own, "one", 200), (own, "main", 404), (own, "two", 404)),
    ):
        assert (await read(platform, uid, branch_id=branch)).status_code == status
    assert (await event(platform, early, branch_id="one"))["branch_id"] == "main"


async def test_missing_foreign_and_private_events_answer_alike(
    platform: Platform, neighbour: Platform, rows: Any
) -> None:
    [*_, private] = await uids(platform, *OPENING, called("c1"))
    await platform.recorded(*(one | {"user_id": "u"} for one in OPENING[:1]), at="other")
    [there] = await uids(platform, agent("x"), at="other")
    [foreign] = await rows(
        "MATCH (e:Event {tenant_id: $t, seq: 4}) RETURN e.uid AS uid LIMIT 1", t=neighbour.tenant_id
    )
    missing = problem(await read(platform, "nothing"), 404, "not_found")
    for uid in (private, there, foreign["uid"], "c1", "%00%ff", "x" * 10_000):
        assert (await read(platform, uid)).json() == missing
    for query in (
        {"conversation_id": "none"},
        {"branch_id": "none"},
        {"participant_id": "none"},
        {"conversation_id": "x" * 128},
    ):
        problem(await read(platform, private, **query), 404, "not_found")
    for query in ({"conversation_id": "x" * 129}, {"branch_id": ""}, {"participant_id": "x" * 10_000}):
        [error] = problem(await read(platform, private, **query), 422, "invalid_request")["errors"]
        assert error["location"] == next(iter(query))
    problem(await platform.send("GET", f"/v1/events/{private}"), 422, "invalid_request")


async def test_what_was_changed_in_the_database_does_not_hold_and_is_not_shown(
    platform: Platform, graph: Graph
) -> None:
    made = await uids(platform, *OPENING, asked("m1", "x"), asked("m2", "y"), asked("m3", "z"))
    payload = "MATCH (:Event {uid: $uid})-[:HAS_PAYLOAD]->(p:Payload) "
    await write(graph, payload + 'SET p.body = \'{"kind":"message","parts":7}\'', uid=made[3])
    told = await event(platform, made[3])
    assert (told["payload"], told["payload_state"], told["commitment_holds"]) == (None, "present", False)
    assert told["hash_holds"] is True
    await write(graph, "MATCH (e:Event {uid: $uid}) SET e.at = '2020-01-01T00:00:00.000000Z'", uid=made[4])
    told = await event(platform, made[4])
    assert (told["hash_holds"], told["commitment_holds"], told["payload"]["message_id"]) == (
        False,
        True,
        "m2",
    )
    await write(graph, payload + "SET p.salt = 'no hex'", uid=made[5])
    assert (await event(platform, made[5]))["commitment_holds"] is False


async def test_a_payload_that_is_gone_is_missing_or_erased_by_the_ledger_alone(
    platform: Platform, graph: Graph
) -> None:
    made = await uids(platform, *OPENING, asked("m1", "x"), called("c1"))
    gone = "MATCH (:Event {uid: $uid})-[:HAS_PAYLOAD]->(p:Payload) DETACH DELETE p"
    for uid in made[3:]:
        await write(graph, gone, uid=uid)
    told = await event(platform, made[3])
    assert (told["payload"], told["payload_state"], told["commitment_holds"]) == (None, "missing", None)
    assert told["hash_holds"] is True
    problem(await read(platform, made[4]), 404, "not_found")
    caller = Caller(platform.tenant_id, "key", frozenset(TENANT_SCOPES))
    await write(graph, "MATCH (e:Event {uid: $uid}) SET e.erased_by = 'purge'", uid=made[3])
    assert (await event(platform, made[3]))["payload_state"] == "missing", "the ledger says nothing of it"
    use = ReadEvent(graph, gone_for_good(platform.tenant_id))
    seen = await use(caller, Place("trip", "main", None), made[3], ConsistencyToken())
    assert (seen["payload_state"], seen["payload"]) == (PayloadState.ERASED, None)
