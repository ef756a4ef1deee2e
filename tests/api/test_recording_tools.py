"""Recording: a call has one artifact and one result, wherever and in whatever shape they come."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    answered,
    asked,
    called,
    forked,
    problem,
    ran,
    replied,
)
from served import Rows

from service.storage.blobs import Blobs

INLINE_BYTES = 16 * 1024


async def artifacts(rows: Rows, platform: Platform) -> list[Json]:
    return await rows(
        "MATCH (t:ToolCall {tenant_id: $t})-[:RESULTED_IN]->(a:ToolArtifact) "
        "RETURN t.call_id AS call, a.call_status AS status, a.result AS result, a.result_blob AS blob, "
        "a.result_bytes AS bytes, a.result_sha256 AS sha256, a.call_seq AS call_seq, "
        "a.result_seq AS result_seq, a.subject_uids AS people ORDER BY a.call_seq, a.result_seq",
        t=platform.tenant_id,
    )


async def test_a_call_has_its_artifact_before_the_result_comes(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, called("c1"))
    [pending] = await artifacts(rows, platform)
    assert (pending["status"], pending["call_seq"], pending["result_seq"]) == ("pending", 4, None)
    await platform.recorded(asked("m1", "Meanwhile"), answered("c1", "found"))
    [done] = await artifacts(rows, platform)
    assert (done["status"], done["result"], done["result_seq"]) == ("executed", "found", 6)


async def test_a_call_and_its_result_come_in_one_batch(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", {"b": 1, "a": [2, None]}))
    [done] = await artifacts(rows, platform)
    assert (done["status"], done["result"]) == ("executed", '{"a":[2,null],"b":1}')
    assert done["sha256"] == hashlib.sha256(done["result"].encode()).hexdigest()


@pytest.mark.parametrize(
    "result", ["", "plain", "  blanks stay\r\n", '{"b": 1,  "a": 2}', "ÄŁ漢😀", "a\x00b"]
)
async def test_a_string_is_kept_to_the_byte(platform: Platform, rows: Rows, result: str) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", result))
    [done] = await artifacts(rows, platform)
    assert (done["result"], done["bytes"]) == (result, len(result.encode()))


async def test_a_second_result_is_refused(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", "one"))
    problem(await platform.record(answered("c1", "two")), 409, "conflict")
    await platform.recorded(called("c2"))
    problem(await platform.record(answered("c2", "one"), answered("c2", "two")), 409, "conflict")
    await platform.recorded(answered("c2", "one"))
    problem(await platform.record(asked("m1", "x"), answered("c2", "two")), 409, "conflict")
    problem(await platform.record(called("c3"), answered("c3", 1), answered("c3", 2)), 409, "conflict")


async def test_a_deferred_call_is_executed_later(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, called("c1"), called("c2", call_status="deferred"))
    await platform.recorded(
        answered("c1", "ticket 7", call_status="deferred"), answered("c2", call_status="deferred")
    )
    assert [row["status"] for row in await artifacts(rows, platform)] == ["deferred", "deferred"]
    await platform.recorded(answered("c1", "done"), answered("c2", "done"))
    assert [row["status"] for row in await artifacts(rows, platform)] == ["executed", "executed"]


async def test_a_call_is_deferred_and_executed_in_one_batch(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, called("c1"))
    await platform.recorded(answered("c1", "wait", call_status="deferred"), answered("c1", "done"))
    [done] = await artifacts(rows, platform)
    assert (done["status"], done["result"], done["result_seq"]) == ("executed", "done", 6)


async def test_a_fork_answers_a_call_of_its_ancestor_for_itself_alone(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, called("c1"), forked("one"), forked("two"))
    await platform.recorded(answered("c1", "in one"), branch="one")
    await platform.recorded(answered("c1", "in two"), branch="two")
    await platform.recorded(answered("c1", "in main"))
    found = await artifacts(rows, platform)
    assert sorted(row["result"] for row in found) == ["in main", "in one", "in two"]


async def test_a_fork_answers_a_call_once(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), called("c2"), answered("c2", "in main"))
    await platform.recorded(forked("one"))
    problem(await platform.record(answered("c2", "again"), branch="one"), 409, "conflict")
    await platform.recorded(answered("c1", "in one"), branch="one")
    problem(await platform.record(answered("c1", "again"), branch="one"), 409, "conflict")
    await platform.recorded(forked("deeper", parent="one"))
    problem(await platform.record(answered("c1", "again"), branch="deeper"), 409, "conflict")
    await platform.recorded(answered("c1", "in main"))


async def test_a_fork_defers_and_then_executes_a_call_of_its_ancestor(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, called("c1"), forked("one"))
    await platform.recorded(answered("c1", "wait", call_status="deferred"), branch="one")
    await platform.recorded(answered("c1", "done"), branch="one")
    assert [row["status"] for row in await artifacts(rows, platform)] == ["executed", "pending"]
    problem(await platform.record(answered("c1", "again"), branch="one"), 409, "conflict")


async def test_parts_of_a_message_make_the_same_calls_and_results_as_events(
    platform: Platform, rows: Rows
) -> None:
    call = {"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"key": "c1"}}
    response = {"type": "tool_call_response", "id": "c1", "response": {"seat": "12A"}}
    by_parts = await platform.recorded(
        *OPENING, ran("r1"), {**replied("m1", "", run_id="r1"), "parts": [call, response]}, at="parts"
    )
    await platform.recorded(
        *OPENING,
        ran("r2"),
        called("c2", {"key": "c1"}, run_id="r2"),
        answered("c2", {"seat": "12A"}),
        at="events",
    )
    assert by_parts["head"] == 5
    calls = await rows(
        "MATCH (:ModelRun)-[:REQUESTED]->(t:ToolCall {tenant_id: $t}) "
        "MATCH (t)-[:RESULTED_IN]->(a)<-[:DERIVED_FROM]-(m) "
        "RETURN t.tool_name, t.arguments, t.visibility, a.result, a.call_status, m.headline, m.records, "
        "m.visibility, a.privacy_class ORDER BY t.call_id",
        t=platform.tenant_id,
    )
    assert len(calls) == 2 and calls[0] == calls[1]
    [one, other] = await rows(
        "MATCH (b:Branch {tenant_id: $t}) RETURN b.transcript_tokens AS tokens ORDER BY b.conversation_id",
        t=platform.tenant_id,
    )
    assert one == other


async def test_a_call_in_an_audit_message_is_for_auditors_too(platform: Platform) -> None:
    call = {"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"key": "HIDDEN"}}
    await platform.recorded(
        *OPENING, asked("m1", "Hello"), {**replied("m2", "x", visibility="audit"), "parts": [call]}
    )
    await platform.recorded(answered("c1", "HIDDEN"))
    assert "HIDDEN" not in json.dumps(await platform.assembled())


@pytest.mark.parametrize("size", [INLINE_BYTES, INLINE_BYTES + 1, 1_000_000])
@pytest.mark.parametrize("as_part", [False, True])
async def test_a_large_result_goes_to_the_blob_store_and_comes_back_exactly(
    platform: Platform, rows: Rows, blobs: Blobs, size: int, as_part: bool
) -> None:
    result = ("0123456789abcdef\n" * (size // 17 + 1))[:size]
    part = {"type": "tool_call_response", "id": "c1", "response": result}
    event = {**asked("m1", ""), "parts": [part]} if as_part else answered("c1", result)
    await platform.recorded(*OPENING, called("c1"), event)
    [done] = await artifacts(rows, platform)
    assert done["bytes"] == size
    if size <= INLINE_BYTES:
        assert (done["result"], done["blob"]) == (result, None)
        return
    assert done["result"] is None
    assert await blobs.get(platform.tenant_id, done["people"], done["blob"]) == result.encode()
    [payload] = await rows(
        "MATCH (e:Event {tenant_id: $t, seq: 5})-[:HAS_PAYLOAD]->(p) RETURN p.body AS body",
        t=platform.tenant_id,
    )
    assert len(payload["body"]) < 1000, "the log names large bytes and does not hold them"
    assert done["blob"] in payload["body"]


async def test_a_large_result_that_no_run_has_seen_is_shown_from_the_blob_store(platform: Platform) -> None:
    result = "the quick brown fox jumps over it " * 600
    await platform.recorded(*OPENING, asked("m1", "Hello"), called("c1"), answered("c1", result))
    context = await platform.assembled(20_000, profile="thorough")
    [message] = [m for m in context["request"]["messages"] if m["role"] == "tool"]
    assert message["content"] == result


@pytest.mark.parametrize("arguments", [{"text": "x" * 20_000}, "not JSON " * 3000])
async def test_large_arguments_are_kept_whole_and_a_context_says_what_it_cuts(
    platform: Platform, rows: Rows, blobs: Blobs, arguments: Any
) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"), called("c1", arguments, tool="write"))
    [kept] = await rows(
        "MATCH (t:ToolCall {tenant_id: $t}) RETURN t.arguments AS inline, t.arguments_blob AS blob, "
        "t.subject_uids AS people",
        t=platform.tenant_id,
    )
    whole = arguments if isinstance(arguments, str) else json.dumps(arguments, separators=(",", ":"))
    assert kept["inline"] is None
    assert await blobs.get(platform.tenant_id, kept["people"], kept["blob"]) == whole.encode()
    await platform.recorded(answered("c1", "written"))
    context = await platform.assembled(4000)
    [message] = [m for m in context["request"]["messages"] if m.get("tool_calls")]
    assert "@5" in message["tool_calls"][0]["function"]["arguments"]


async def test_a_failed_call_needs_an_error_or_a_result(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), called("c2"))
    for event in (answered("c1", call_status="failed"), answered("c1", "x", error="y")):
        [error] = problem(await platform.record(event), 422, "invalid_request")["errors"]
        assert error["location"] == "events[0]"
    await platform.recorded(
        answered("c1", call_status="failed", error="no such flight"), answered("c2", call_status="cancelled")
    )
    context = await platform.assembled()
    contents = [m["content"] for m in context["request"]["messages"] if m["role"] == "tool"]
    assert contents == ["no such flight", ""]
