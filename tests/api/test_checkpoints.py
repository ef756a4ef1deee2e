"""Checkpoints: what was saved is read at any time, and taken up by one run on each branch."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from agent_platform import (
    OPENING,
    TRIP,
    Json,
    Platform,
    agent,
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
from served import Rows

CHILD = agent("scout", participant_kind="subagent", parent_participant_id="agent")
SAVED: Json = {
    "kind": "checkpoint",
    "checkpoint_id": "k1",
    "participant_id": "agent",
    "run_id": "r1",
    "pending_call_ids": ["c1", "c2"],
    "child_participant_ids": ["scout"],
    "budgets": {"tool_calls": 12, "a=b": 0},
}
SKILLS: Json = {"kind": "skill_state", "participant_id": "agent", "skills": ["book"], "integrations": ["crm"]}
STORY = (
    *(*OPENING, CHILD, asked("m1", "Book it."), ran("r0"), ran("r1", parent_run_id="r0"), SKILLS),
    {"kind": "working_memory", "participant_id": "agent", "expected_version": 0, "fields": {"plan": "A"}},
    *(called("c1"), called("c2", call_status="deferred"), SAVED),
    {**SKILLS, "skills": ["later"]},
    {"kind": "working_memory", "participant_id": "agent", "expected_version": 1, "fields": {"plan": "B"}},
)


async def read(platform: Platform, branch: str = "main", by: str = "agent", **more: Any) -> httpx.Response:
    path = f"/v1/checkpoints/{more.pop('checkpoint_id', 'k1')}?conversation_id={more.pop('at', TRIP)}"
    return await platform.send("GET", f"{path}&branch_id={branch}&participant_id={by}", **more)


async def resume(platform: Platform, run_id: str, branch: str = "main", **more: Any) -> httpx.Response:
    headers = {"Idempotency_Key": more.pop("key")} if "key" in more else {}
    path = f"/v1/checkpoints/{more.pop('checkpoint_id', 'k1')}/resume"
    body = {"conversation_id": TRIP, "branch_id": branch, "participant_id": "agent", "run_id": run_id}
    return await platform.send("POST", path, body | more, **headers)


async def resumed(platform: Platform, run_id: str, branch: str = "main", **more: Any) -> Json:
    response = await resume(platform, run_id, branch, **more)
    assert response.status_code == 201, response.text
    return response.json()


async def head(platform: Platform, branch: str = "main") -> int:
    address = f"/v1/branches/{branch}/transcript?conversation_id={TRIP}"
    return int((await platform.send("GET", address)).json()["head"])


async def test_a_checkpoint_tells_what_stood_there_and_what_became_of_it_since(platform: Platform) -> None:
    await platform.recorded(*STORY)
    first = (await read(platform)).json()
    assert first["seq"] == 12 and first["recorded_at"]
    assert (first["run_id"], first["parent_run_id"], first["taken_up"]) == ("r1", "r0", None)
    assert (first["skills"], first["integrations"], first["direct_tools"]) == (["book"], ["crm"], [])
    assert first["working_memory"] == {"version": 1, "fields": {"plan": "A"}, "block": None}
    assert first["budgets"] == {"tool_calls": 12, "a=b": 0}
    assert first["children"] == [{"participant_id": "scout", "outcome": None, "summary": None, "seq": None}]
    assert [call["call_status"] for call in first["pending_calls"]] == ["pending", "deferred"]
    assert [call["artifact_id"] for call in first["pending_calls"]] == [None, None]
    await platform.recorded(
        answered("c1", {"ok": 1}),
        answered("c2", call_status="failed", error="no"),
        {"kind": "release", "participant_id": "scout", "outcome": "timed_out", "summary": "too slow"},
    )
    now = (await read(platform)).json()
    assert now["children"] == [
        {"participant_id": "scout", "outcome": "timed_out", "summary": "too slow", "seq": 17}
    ]
    statuses = [(call["call_id"], call["call_status"], call["seq"]) for call in now["pending_calls"]]
    assert statuses == [("c1", "executed", 15), ("c2", "failed", 16)]
    where = {"conversation_id": TRIP, "participant_id": "agent"}
    path = f"/v1/artifacts/{now['pending_calls'][0]['artifact_id']}/rehydrate"
    assert (await platform.send("POST", path, where)).json()["content"] == '{"ok":1}'
    same = {name: first[name] for name in first if name not in ("children", "pending_calls")}
    assert {name: now[name] for name in same} == same, "what was saved does not change"


async def test_a_parent_run_is_saved_by_name_where_the_run_does_not_tell(platform: Platform) -> None:
    alone = {"kind": "checkpoint", "participant_id": "agent"}
    await platform.recorded(*OPENING, ran("r0"), {**alone, "checkpoint_id": "k1", "parent_run_id": "r0"})
    assert (await read(platform)).json()["parent_run_id"] == "r0"
    refused = await platform.record({**alone, "checkpoint_id": "k2", "parent_run_id": "none"})
    assert problem(refused, 422, "unknown_reference")["location"] == "events[0].parent_run_id"


async def test_a_run_takes_a_checkpoint_up_once_and_is_answered_the_same_again(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(*STORY)
    before = (await read(platform)).json()
    first = await resumed(platform, "r2", key="a", provider="openai", model="m")
    assert first["taken_up"] == {"run_id": "r2", "seq": 15, "recorded_at": first["taken_up"]["recorded_at"]}
    assert {**first, "taken_up": None} == before
    for key in ({"key": "a"}, {"key": "b"}, {}):
        assert await resumed(platform, "r2", **key) == first
    assert (await read(platform)).json() == first and await head(platform) == 16
    found = await rows(
        "MATCH (r:ModelRun {tenant_id: $t})-[:RESUMED_FROM]->(k) "
        "RETURN r.run_id AS run_id, r.run_status AS status, r.parent_run_uid IS NULL AS alone, "
        "k.checkpoint_id AS checkpoint_id",
        t=platform.tenant_id,
    )
    assert found == [{"run_id": "r2", "status": "started", "alone": False, "checkpoint_id": "k1"}]


async def test_another_run_finds_it_taken_up_and_a_fork_may_take_it_up_again(platform: Platform) -> None:
    await platform.recorded(*STORY, forked("early", 11), forked("late"))
    await resumed(platform, "r2")
    refused = problem(await resume(platform, "r3"), 409, "conflict")
    assert "taken up" in refused["detail"]
    run = ran("r3")
    taken = {"kind": "resume", "participant_id": "agent", "checkpoint_id": "k1", "run_id": "r3"}
    told = problem(await platform.record(run, taken), 409, "conflict")
    assert "events[1].checkpoint_id was taken up" in told["detail"]
    assert (await resumed(platform, "r4", "late"))["taken_up"]["run_id"] == "r4"
    problem(await resume(platform, "r5", "late"), 409, "conflict")
    problem(await resume(platform, "r6", "early"), 404, "not_found")
    await platform.recorded(forked("after"))
    assert (await read(platform, "after")).json()["taken_up"] is None, "a fork is a branch of its own"
    await resumed(platform, "r7", "after")


@pytest.mark.parametrize("workers", [2, 8])
async def test_of_workers_that_resume_at_once_exactly_one_wins(platform: Platform, workers: int) -> None:
    await platform.recorded(*STORY)
    racing = [resume(platform, f"w{n}", key=f"key-{n}") for n in range(workers)]
    responses = await asyncio.gather(*racing)
    won = [response.json() for response in responses if response.status_code == 201]
    for response in responses:
        if response.status_code != 201:
            assert "taken up" in problem(response, 409, "conflict")["detail"]
    [winner] = won
    assert (await read(platform)).json() == winner and await head(platform) == 16


async def test_the_same_run_sent_by_several_workers_at_once_is_one(platform: Platform) -> None:
    await platform.recorded(*STORY)
    keys: list[Json] = [{"key": "a"}, {"key": "a"}, {"key": "b"}, {}, {}, {"key": "c"}]
    answers = await asyncio.gather(*(resumed(platform, "r2", **key) for key in keys))
    assert all(answer == answers[0] for answer in answers) and await head(platform) == 16


@pytest.mark.parametrize("branch", ["main", "one"])
async def test_a_call_pending_at_a_checkpoint_is_completed_exactly_once(
    platform: Platform, branch: str
) -> None:
    await platform.recorded(*STORY, forked("one"))
    await resumed(platform, "r2", branch)
    racing = [platform.record(answered("c1", {"of": n}), branch=branch) for n in range(6)]
    responses = await asyncio.gather(*racing)
    assert sorted(response.status_code for response in responses) == [201] + [409] * 5
    for response in responses:
        if response.status_code != 201:
            problem(response, 409, "conflict")
    [done, _] = (await read(platform, branch)).json()["pending_calls"]
    assert done["call_status"] == "executed"
    other = "one" if branch == "main" else "main"
    [untouched, _] = (await read(platform, other)).json()["pending_calls"]
    assert (untouched["call_status"], untouched["artifact_id"]) == ("pending", None)
    await platform.recorded(answered("c1", {"of": "the other branch"}), branch=other)


async def test_a_resumed_run_is_shown_what_came_while_nobody_ran(platform: Platform) -> None:
    await platform.recorded(*STORY, answered("c1", {"found": "LATERESULT"}))
    await platform.recorded({"kind": "release", "participant_id": "scout", "outcome": "failed"})
    await resumed(platform, "r2")
    context = await platform.assembled(runtime_kind="continuation")
    unseen = [i for i in section(context, "current_exchange")["items"] if i["why"] == "unseen_result"]
    assert len(unseen) == 1 and "LATERESULT" in shown(context)
    assert "scout failed" in section(context, "recovery")["text"]
    await platform.recorded(
        ran("r3", assembly_id=context["assembly_id"]), replied("a1", "Done.", run_id="r3")
    )
    later = await platform.assembled(runtime_kind="continuation")
    assert all(item["why"] != "unseen_result" for item in section(later, "current_exchange")["items"])
    replayed = await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert replayed.json()["same"]


async def test_only_its_own_participant_reads_or_takes_up_a_checkpoint(
    platform: Platform, neighbour: Platform
) -> None:
    await platform.recorded(*STORY, agent("other"), {**SAVED, "checkpoint_id": "k2", "visibility": "branch"})
    for by in ("mia", "other", "scout", "nobody"):
        for checkpoint_id in ("k1", "k2"):
            problem(await read(platform, by=by, checkpoint_id=checkpoint_id), 404, "not_found")
            refused = await resume(platform, "r2", participant_id=by, checkpoint_id=checkpoint_id)
            problem(refused, 404, "not_found")
        run = ran("r2", by=by if by != "nobody" else "mia")
        event = {"kind": "resume", "participant_id": by, "checkpoint_id": "k1", "run_id": "r2"}
        problem(await platform.record(run, event), 422, "unknown_reference")
    problem(await read(neighbour), 404, "not_found")
    problem(await resume(neighbour, "r2"), 404, "not_found")
    for at in ("elsewhere", ""):
        answer = await read(platform, at=at)
        assert answer.status_code in (404, 422)
    await platform.recorded(*OPENING, at="elsewhere")
    problem(await read(platform, at="elsewhere"), 404, "not_found")
    problem(await resume(platform, "r2", conversation_id="elsewhere"), 404, "not_found")
    assert await head(platform) == 16


async def test_a_checkpoint_is_saved_and_taken_up_once_within_one_batch(
    platform: Platform, rows: Rows
) -> None:
    taken = {"kind": "resume", "participant_id": "agent", "checkpoint_id": "k1"}
    first, second = [(ran(run_id), {**taken, "run_id": run_id}) for run_id in ("r2", "r3")]
    refused = problem(await platform.record(*STORY, *first, *second), 409, "conflict")
    assert "events[17].checkpoint_id" in refused["detail"]
    await platform.recorded(*STORY, *first)
    assert (await read(platform)).json()["taken_up"]["run_id"] == "r2"
    query = "MATCH (k:ContinuationCheckpoint {tenant_id: $t}) RETURN k.resumed AS resumed"
    assert await rows(query, t=platform.tenant_id) == [{"resumed": None}]


async def test_a_run_that_cannot_take_it_up_is_refused_by_its_place(platform: Platform) -> None:
    await platform.recorded(*STORY, {**SAVED, "checkpoint_id": "k2"})
    taken = {"kind": "resume", "participant_id": "agent", "checkpoint_id": "k1", "run_id": "r1"}
    for events in (
        (taken,),
        (ran("r9", by="scout"), {**taken, "run_id": "r9"}),
        (ran("r9"), {**taken, "run_id": "r9"}, {**taken, "run_id": "r9", "checkpoint_id": "k2"}),
    ):
        [error] = problem(await platform.record(*events), 422, "invalid_request")["errors"]
        assert error["location"] == f"events[{len(events) - 1}].run_id"
    refused = await platform.record(ran("r9"), {**taken, "run_id": "r9", "checkpoint_id": "k-none"})
    assert problem(refused, 422, "unknown_reference")["location"] == "events[1].checkpoint_id"
    assert problem(await resume(platform, "r1"), 409, "id_taken")["location"] == "run_id"
    await platform.recorded({"kind": "close"})
    assert problem(await resume(platform, "r2"), 409, "branch_closed")["location"] == "branch_id"
    assert (await read(platform)).json()["taken_up"] is None


@pytest.mark.parametrize(
    "spoiled",
    [{"run_id": ""}, {"run_id": None}, {"run_id": "x" * 129}, {"branch_id": 1}, {"more": 1}, {"model": ""}],
    ids=str,
)
async def test_a_body_that_is_none_is_refused(platform: Platform, spoiled: Json) -> None:
    await platform.recorded(*STORY)
    body = {"conversation_id": TRIP, "participant_id": "agent", "run_id": "r2", **spoiled}
    problem(await platform.send("POST", "/v1/checkpoints/k1/resume", body), 422, "invalid_request")
    assert await head(platform) == 14
