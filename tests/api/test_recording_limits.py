"""Recording: odd texts, numbers, times and sizes are kept exactly or refused by their place; none is a
failure."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agent_platform import OPENING, TRIP, Json, Platform, answered, asked, called, problem, ran
from served import Rows

MIB = 1024 * 1024
REQUEST_BYTES_MAX = 32 * MIB


async def raw(platform: Platform, body: bytes | AsyncIterator[bytes], path: str = "/v1/events") -> Any:
    headers = {"Authorization": f"Bearer {platform.key}", "Content-Type": "application/json"}
    return await platform.http.post(path, content=body, headers=headers)


def batch_text(event: str) -> bytes:
    return f'{{"conversation_id": "{TRIP}", "events": [{event}]}}'.encode()


def result_text(value: str) -> bytes:
    return batch_text(f'{{"kind": "tool_result", "call_id": "c1", "result": {value}}}')


def tools_text(schema: str) -> bytes:
    asks = f'"conversation_id": "{TRIP}", "participant_id": "agent", "budget_tokens": 500'
    return f'{{{asks}, "tools": [{schema}]}}'.encode()


@pytest.mark.parametrize("text", ["a\x00b", "\x00", "\u2028 \u202e", "😀" * 40, "e\u0301", "\ufeff"])
async def test_any_unicode_text_is_kept_in_ids_and_messages(
    platform: Platform, rows: Rows, text: str
) -> None:
    await platform.recorded(*OPENING, asked(f"m{text}", f"says {text}"), at=f"trip{text}")
    [found] = await rows(
        "MATCH (m:Message {tenant_id: $t}) RETURN m.message_id AS id, m.text AS text", t=platform.tenant_id
    )
    assert found == {"id": f"m{text}", "text": f"says {text}"}
    context = await platform.assembled(at=f"trip{text}")
    assert context["request"]["messages"][-1]["content"] == f"says {text}"


async def test_an_id_has_at_most_128_characters(platform: Platform) -> None:
    longest = "😀" * 128
    seat = {"participant_id": longest, "participant_kind": "agent", "kind": "participant"}
    await platform.recorded(*OPENING, seat, asked(longest, "x", by=longest), at=longest)
    await platform.recorded({"kind": "fork", "branch_id": longest}, at=longest, idempotency_key="k" * 128)
    await platform.recorded(called(longest), ran(longest), at=longest, branch=longest)
    assert (await platform.assembled(at=longest, branch=longest, by=longest))["head"] == 7
    for refused in (
        await platform.record(asked("x" * 129, "x"), at=longest),
        await platform.record(asked("", "x"), at=longest),
        await platform.record(asked("x", "x"), at="x" * 129),
        await platform.record(asked("x", "x"), at=longest, idempotency_key="k" * 129),
    ):
        [error] = problem(refused, 422, "invalid_request")["errors"]
        assert error["location"] in ("events[0].message_id", "conversation_id", "Idempotency-Key")


LONE = '"\\ud83d"'


@pytest.mark.parametrize(
    ("event", "location"),
    [
        (f'{{"kind": "tool_result", "call_id": "c1", "result": {LONE}}}', "events[0].result"),
        (f'{{"kind": "tool_result", "call_id": "c1", "result": [{{"a": {LONE}}}]}}', "events[0].result"),
        (f'{{"kind": "tool_result", "call_id": "c1", "result": {{{LONE}: 1}}}}', "events[0].result"),
        (f'{{"kind": "tool_result", "call_id": {LONE}, "result": 1}}', "events[0].call_id"),
        (
            '{"kind": "tool_call", "call_id": "c2", "participant_id": "agent", "tool_name": "t", '
            f'"arguments": {{"x": {LONE}}}}}',
            "events[0].arguments",
        ),
        (
            '{"kind": "message", "message_id": "m", "participant_id": "mia", "role": "user", "parts": '
            f'[{{"type": "text", "content": "x"}}, {{"type": "text", "content": {LONE}}}]}}',
            "events[0].parts[1].content",
        ),
        (
            '{"kind": "message", "message_id": "m", "participant_id": "mia", "role": "user", "parts": '
            f'[{{"type": "other", "name": "x", "content": [{LONE}]}}]}}',
            "events[0].parts[0].content",
        ),
    ],
)
async def test_a_lone_surrogate_is_refused_wherever_it_stands(
    platform: Platform, event: str, location: str
) -> None:
    await platform.recorded(*OPENING, called("c1"))
    [error] = problem(await raw(platform, batch_text(event)), 422, "invalid_request")["errors"]
    assert error["location"] == location


@pytest.mark.parametrize("text", ['{"name": "\\ud83d"}', '{"\\ud83d": 1, "b": 2}', '["\\udc00"]'])
async def test_an_escaped_lone_surrogate_inside_a_string_is_only_text(
    platform: Platform, rows: Rows, text: str
) -> None:
    await platform.recorded(*OPENING, asked("m1", text), called("c1", text), answered("c1", text), ran("r1"))
    [found] = await rows(
        "MATCH (t:ToolCall {tenant_id: $t})-[:RESULTED_IN]->(a) RETURN t.arguments AS a, a.result AS r",
        t=platform.tenant_id,
    )
    assert found == {"a": text, "r": text}
    assert (await platform.assemble()).status_code == 201


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "1" + "0" * 5000])
async def test_a_number_that_json_cannot_carry_on_is_refused(platform: Platform, number: str) -> None:
    await platform.recorded(*OPENING, called("c1"))
    for body in (result_text(number), result_text(f'{{"deep": [{number}]}}')):
        problem(await raw(platform, body), 422, "invalid_request")
    schema = f'{{"name": "t", "x": {number}}}'
    problem(await raw(platform, tools_text(schema), "/v1/assemble"), 422, "invalid_request")


@pytest.mark.parametrize(
    "number", ["9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "1e22", "0.1"]
)
async def test_a_large_number_is_kept_as_json(platform: Platform, rows: Rows, number: str) -> None:
    await platform.recorded(*OPENING, called("c1"))
    assert (await raw(platform, result_text(f'{{"n": {number}}}'))).status_code == 201
    [found] = await rows("MATCH (a:ToolArtifact {tenant_id: $t}) RETURN a.result AS r", t=platform.tenant_id)
    assert json.loads(found["r"])["n"] == json.loads(number)


@pytest.mark.parametrize("head", [10**30, -1, 1.5, True, "x", [], {}])
async def test_an_odd_expected_head_is_refused_or_has_moved(platform: Platform, head: Any) -> None:
    await platform.recorded(*OPENING)
    body = {"conversation_id": TRIP, "expected_head": head, "events": [asked("m1", "x")]}
    assert (await platform.send("POST", "/v1/events", body)).status_code in (409, 422)


@pytest.mark.parametrize(
    ("event", "location"),
    [
        ({"kind": "fork", "branch_id": "b", "at_seq": 10**30}, "events[0].at_seq"),
        ({"kind": "fork", "branch_id": "b", "at_seq": 4}, "events[0].at_seq"),
        ({"kind": "fork", "branch_id": "b", "at_seq": 0}, "events[0].at_seq"),
        (ran("r", input_tokens=2**53 + 1), "events[0].input_tokens"),
        (ran("r", input_tokens=-1), "events[0].input_tokens"),
        (ran("r", input_tokens=10**400), "events[0].input_tokens"),
    ],
)
async def test_a_number_out_of_bounds_is_refused_by_its_place(
    platform: Platform, event: Json, location: str
) -> None:
    await platform.recorded(*OPENING)
    [error] = problem(await platform.record(event), 422, "invalid_request")["errors"]
    assert error["location"] == location


@pytest.mark.parametrize("depth", [60, 65, 200, 500, 1000, 100_000])
async def test_deep_nesting_is_kept_up_to_a_stated_depth_and_refused_beyond(
    platform: Platform, depth: int
) -> None:
    await platform.recorded(*OPENING, called("c1"))
    nested = "[" * depth + "]" * depth
    response = await raw(platform, result_text(nested))
    if depth <= 64:
        assert response.status_code == 201
    else:
        problem(response, 422, "invalid_request")
    call = (
        '{"kind": "tool_call", "call_id": "c2", "participant_id": "agent", "tool_name": "t", "arguments": %s}'
    )
    response = await raw(platform, batch_text(call % nested.replace("[", '{"a":').replace("]", "}")))
    assert response.status_code == 422  # an object needs a value


async def test_deep_schemas_of_tools_are_refused(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    for depth in (200, 900, 50_000):
        nested = '{"a":' * depth + "1" + "}" * depth
        problem(await raw(platform, tools_text(nested), "/v1/assemble"), 422, "invalid_request")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2026-03-29T03:30:00+02:00", "2026-03-29T01:30:00+00:00"),
        ("2026-01-01T00:00:00.123456-11:30", "2026-01-01T11:30:00.123456+00:00"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:00"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00"),
    ],
)
async def test_a_time_with_an_offset_is_kept_in_utc(
    platform: Platform, rows: Rows, given: str, kept: str
) -> None:
    await platform.recorded(*OPENING, asked("m1", "x", occurred_at=given))
    [found] = await rows("MATCH (m:Message {tenant_id: $t}) RETURN m.occurred_at AS at", t=platform.tenant_id)
    assert found["at"].to_native().isoformat() == kept


@pytest.mark.parametrize(
    "given",
    [
        "2026-01-01T00:00:00",
        "yesterday",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "2026-01-01",
        True,
        [],
        1_767_225_600,
        "1767225600",
    ],
)
async def test_a_time_that_is_none_or_has_no_zone_is_refused(platform: Platform, given: Any) -> None:
    await platform.recorded(*OPENING)
    [error] = problem(await platform.record(asked("m1", "x", occurred_at=given)), 422, "invalid_request")[
        "errors"
    ]
    assert error["location"] == "events[0].occurred_at"


async def test_times_at_the_ends_of_the_calendar_break_no_later_context(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("m1", "x"), called("c1"), called("c2"))
    first, last = "0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"
    await platform.recorded(
        answered("c1", "x", occurred_at=last, stale_after=first),
        answered("c2", "x", occurred_at=first, stale_after=last),
        ran("r1"),
    )
    assert (await platform.assemble()).status_code == 201


async def test_a_request_of_32_mib_is_read_and_a_larger_one_is_not(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"))
    whole = result_text('"x"').ljust(REQUEST_BYTES_MAX)
    told = problem(await raw(platform, whole + b" "), 413, "limit_exceeded")
    assert (told["maximum"], told["unit"]) == (REQUEST_BYTES_MAX, "bytes")
    assert (await raw(platform, whole)).status_code == 201


async def test_a_batch_that_names_more_than_5000_people_is_refused_and_5000_are_taken(
    platform: Platform, rows: Rows
) -> None:
    people = [f"u{n}" for n in range(5001)]
    runs = [ran(f"r{n}", subject_ids=people[n : n + 64]) for n in range(0, len(people), 64)]
    told = problem(await platform.record(*OPENING, *runs), 413, "limit_exceeded")
    assert (told["maximum"], told["unit"]) == (5000, "ids") and "user_ids" in told["detail"]
    runs[-1]["subject_ids"].pop(-1)  # and OPENING names one of its own
    runs[-1]["subject_ids"].pop(-1)
    await platform.recorded(*OPENING, *runs)
    [made] = await rows("MATCH (u:User {tenant_id: $t}) RETURN count(u) AS n", t=platform.tenant_id)
    assert made["n"] == 5000


async def test_a_request_that_does_not_state_its_size_is_cut_off_at_the_limit(platform: Platform) -> None:
    sent = 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal sent
        yield batch_text("")[:-2]
        while sent < 40:
            sent += 1
            yield b" " * MIB

    problem(await raw(platform, stream()), 413, "limit_exceeded")
    assert sent <= 34


async def test_a_message_of_a_megabyte_is_kept_whole(platform: Platform, rows: Rows) -> None:
    text = "All work and no play. " * 50_000
    await platform.recorded(*OPENING, asked("m1", text), asked("m2", "And now?"))
    [found] = await rows(
        "MATCH (m:Message {tenant_id: $t, message_id: 'm1'}) RETURN m.text AS text", t=platform.tenant_id
    )
    assert found["text"] == text
    context = await platform.assembled(2000)
    assert context["tokens"]["assembled"] <= 2000
