"""Problems: every refusal is a document with a code, and nothing that was sent comes back or is logged."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Iterator
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
    claimed,
    forked,
    human,
    opened,
    problem,
    ran,
)
from fastapi import FastAPI

from service.api import problems
from service.model.events import Strict

CANARY = "canary q7xz"  # Its second word holds letters that no random id has.
STATED = {"invalid_request", "id_taken", "unknown_reference", "conflict", "not_found", "head_moved"}
STATED |= {"budget_too_small", "idempotency_key_reused", "version_moved"}


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """After each test no log record and no printed line has the canary; the tests' client logs addresses."""
    caplog.set_level(logging.DEBUG)
    yield
    told = [one.getMessage() for one in caplog.get_records("call") if not one.name.startswith("http")]
    printed = "".join(capsys.readouterr())
    assert CANARY not in printed + "".join(told) + caplog.text.replace("httpx", "")


def clean(response: httpx.Response) -> httpx.Response:
    """The response, in which nothing of the canary is."""
    assert CANARY not in response.text and CANARY not in str(response.headers)
    assert "q7xz" not in response.text + str(response.headers)
    return response


FILE = {"name": "n", "sha256": "0" * 64}
EVENTS: list[Json] = [
    opened(title="t", subject_ids=["u"]),
    human(display_name="d", agent="a", occurred_at="2026-01-01T00:00:00Z"),
    agent(parent_participant_id="mia"),
    asked("m1", "x", run_id=None, shared_with=["agent"], visibility="branch", privacy_class="personal"),
    {
        **asked("m2", "x"),
        "parts": [
            {"type": "reasoning", "content": "x"},
            {"type": "tool_call", "id": "c0", "name": "t", "arguments": {"a": 1}},
            {"type": "tool_call_response", "id": "c0", "response": 1},
            {"type": "image", "file_id": "f", "mime_type": "m", "tokens": 1, "name": "n"},
            {"type": "other", "name": "n", "content": 1},
        ],
    },
    ran("r1", run_status="completed", provider="p", model="m", input_tokens=1, output_tokens=1, error="e"),
    called("c1", tool_version="1", call_status="pending", message_id="m1", run_id="r1", batch_id="b"),
    called("c2", active_skills=["s"], active_profiles=["p"], provider="p", isolation_policy="i"),
    answered("c1", {"a": [1, "b"]}, stale_after="2026-01-01T00:00:00Z", freshness="durable"),
    answered("c2", call_status="failed", error="e", retry_critical=True),
    claimed("k1", {"call_id": "c1"}, {"document": FILE}, value={"a": 1}, run_id="r1", message_id="m1"),
    forked("f1", at_seq=3, title="t"),
    {"kind": "pin", "pin_id": "p1", "pin_kind": "decision", "participant_id": "mia", "text": "x"},
    {"kind": "unpin", "pin_id": "p1"},
    {"kind": "skill_state", "participant_id": "agent", "skills": ["s"], "direct_tools": ["t"]},
    {"kind": "working_memory", "participant_id": "agent", "expected_version": 0, "fields": {"f": "v"}},
    {"kind": "checkpoint", "checkpoint_id": "k", "participant_id": "agent", "budgets": {"b": 1}},
    {"kind": "resume", "participant_id": "agent", "checkpoint_id": "k", "run_id": "r1"},
    {"kind": "release", "participant_id": "agent", "to": ["mia"], "summary": "s", "outcome": "failed"},
]
BATCH: Json = {"conversation_id": TRIP, "branch_id": "main", "expected_head": 0, "events": EVENTS}
ASSEMBLE: Json = {
    "conversation_id": TRIP,
    "branch_id": "main",
    "participant_id": "agent",
    "provider": "openai",
    "model": "m",
    "runtime_kind": "chat",
    "budget_tokens": 900,
    "profile": "default",
    "format": "openai_chat",
    "exact": ["x"],
    "preview": True,
    "trace": False,
    "tools": [{"name": "t"}],
}
REHYDRATE: Json = {
    "conversation_id": TRIP,
    "branch_id": "main",
    "participant_id": "agent",
    "provider": "openai",
    "rows": [1, 2],
    "heading": True,
    "byte_budget": 10,
}
RESUME: Json = {"conversation_id": TRIP, "participant_id": "agent", "run_id": "r", "model": "m"}
SETTINGS: Json = {
    "settings": {
        "platform_rules": "r",
        "persona": "p",
        "providers": {"x": {"region": "r", "local": True}},
        "profile": "economy",
        "agents": {
            "a": {"profile": "default", "persona": "p", "packing": {"thrift": 1.5}, "tools": {"t": {}}},
            "b": {"working_memory": {"enabled": True, "fields": ["f"], "tokens_max": 100}},
        },
        "policies": {
            "tools": {"t": {"freshness": "volatile", "stale_after_minutes": 5, "recheck_tool": "u"}},
            "exact": {"by_rule": False, "bytes_max": 100},
        },
        "retention": {"Message": {"action": "redact", "after_days": 30}},
    },
    "note": "n",
}
SPOILERS: tuple[Any, ...] = (
    CANARY,
    CANARY * 400,
    [CANARY],
    {CANARY: CANARY},
    {"q7xz": {"q7xz": 1}},
    {"kind": CANARY},
    f"{CANARY}\ud800",
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, its objects and lists included."""
    if at:
        yield at
    if isinstance(value, dict):
        for name in value:
            yield from paths(value[name], (*at, name))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from paths(one, (*at, number))


def spoiled(document: Json) -> Iterator[bytes]:
    """The document with two of SPOILERS in turn at each of its places, and unknown fields in each object."""
    for number, path in enumerate(paths(document)):
        for spoiler in (SPOILERS[number % len(SPOILERS)], SPOILERS[(number + 1) % len(SPOILERS)]):
            changed = copy.deepcopy(document)
            holder(changed, path)[path[-1]] = spoiler
            yield json.dumps(changed).encode()
        changed = copy.deepcopy(document)
        inner = holder(changed, path)[path[-1]]
        if isinstance(inner, dict):
            inner[CANARY] = inner["q7xz"] = CANARY
            yield json.dumps(changed).encode()


def holder(document: Any, path: tuple[Any, ...]) -> Any:
    """The object or list in which a path's last step is taken."""
    for step in path[:-1]:
        document = document[step]
    return document


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/v1/events", BATCH),
        ("/v1/assemble", ASSEMBLE),
        ("/v1/artifacts/c1/rehydrate", REHYDRATE),
        ("/v1/checkpoints/k/resume", RESUME),
        ("/v1/configuration", SETTINGS),
        ("/v1/configuration/1/activate", {"expected_version": 0}),
        ("/v1/assemblies/x/replay", {"configuration_number": 1}),
    ],
)
async def test_no_field_of_a_refused_request_comes_back(
    platform: Platform, path: str, document: Json
) -> None:
    await platform.recorded(*OPENING, asked("seed", "x"))
    headers = {"Authorization": f"Bearer {platform.key}", "Content-Type": "application/json"}
    refused = 0
    for body in spoiled(document):
        response = await platform.http.post(path, content=body, headers=headers)
        if response.status_code < 300:
            continue
        refused += 1
        clean(response)
        assert response.json()["code"] in STATED, response.text
        problem(response, response.status_code, response.json()["code"])
    assert refused >= 2


async def test_an_unknown_field_is_told_by_its_place_and_named_where_the_contract_has_the_name(
    platform: Platform,
) -> None:
    body = {
        "conversation_id": TRIP,
        "events": [*OPENING, asked("m1", "x", mood_q7xz=CANARY), {**ran("r"), CANARY: 1, "title": "x"}],
    }
    errors = problem(clean(await platform.send("POST", "/v1/events", body)), 422, "invalid_request")["errors"]
    assert errors == [
        {"location": "events[3].?", "problem": "is not a field of this shape"},
        {"location": "events[4].?", "problem": "is not a field of this shape"},
        {"location": "events[4].title", "problem": "is not a field of this shape"},
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"canary q7xz"',
        b"canary q7xz",
        b'{"conversation_id": "canary q7xz"',
        b'{"conversation_id": "\xff canary q7xz"}',
        b"\xff\xfe\x00",
        b'{"events": "canary q7xz"}',
        b'{"conversation_id": 1, "conversation_id": "canary q7xz"}',
    ],
)
@pytest.mark.parametrize(
    "media_type", ["application/json", "text/plain", None, "application/json; charset=latin-1"]
)
async def test_a_body_that_is_none_is_refused(
    platform: Platform, body: bytes, media_type: str | None
) -> None:
    headers = {"Authorization": f"Bearer {platform.key}"} | (
        {"Content-Type": media_type} if media_type else {}
    )
    for path in ("/v1/events", "/v1/assemble"):
        response = clean(await platform.http.post(path, content=body, headers=headers))
        assert problem(response, 422, "invalid_request")["errors"]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", f"/v1/{CANARY}", 404, "no_such_path"),
        ("GET", f"/{CANARY}", 404, "no_such_path"),
        ("DELETE", "/v1/events", 405, "method_not_allowed"),
        ("GET", f"/v1/assemblies/{CANARY}", 404, "not_found"),
        ("GET", f"/v1/assemblies/{CANARY * 200}", 404, "not_found"),
        ("GET", "/v1/assemblies/%00%ff%ed%a0%80", 404, "not_found"),
        ("GET", f"/v1/assemblies/x/why-not/{CANARY}", 404, "not_found"),
        ("GET", f"/v1/messages/{CANARY}/why", 404, "not_found"),
        ("GET", f"/v1/checkpoints/{CANARY}?conversation_id=trip&participant_id=agent", 404, "not_found"),
        ("GET", f"/v1/events/{CANARY}?conversation_id={CANARY}", 404, "not_found"),
        ("GET", f"/v1/claims/{CANARY}/evidence?conversation_id={CANARY}", 404, "not_found"),
        ("POST", f"/v1/assemblies/{CANARY}/replay", 404, "not_found"),
        ("GET", f"/v1/configuration/{CANARY}", 422, "invalid_request"),
        ("GET", "/v1/configuration/99999999999999999999999", 422, "invalid_request"),
        ("GET", "/v1/configuration/-1", 422, "invalid_request"),
        ("POST", f"/v1/configuration/1/what-would-change?recent={CANARY}", 422, "invalid_request"),
        ("POST", "/v1/configuration/9999999999999999999/what-would-change", 422, "invalid_request"),
        ("POST", f"/v1/tenants/{CANARY}/keys", 403, "forbidden"),
        ("DELETE", f"/v1/keys/{CANARY}", 403, "forbidden"),
    ],
)
async def test_an_address_never_comes_back(
    platform: Platform, method: str, path: str, status: int, code: str
) -> None:
    problem(clean(await platform.send(method, path)), status, code)


async def test_a_number_that_no_database_holds_is_refused(platform: Platform) -> None:
    for path, body in (
        ("/v1/assemblies/x/replay", {"configuration_number": 10**25}),
        ("/v1/configuration/1/activate", {"expected_version": 10**25}),
        ("/v1/artifacts/x/rehydrate", {**REHYDRATE, "rows": [1, 10**25]}),
        ("/v1/assemble", {**ASSEMBLE, "budget_tokens": 10**25}),
    ):
        problem(await platform.send("POST", path, body), 422, "invalid_request")


async def test_no_shape_takes_text_for_a_number_or_a_number_for_a_flag() -> None:
    shapes: list[type[Strict]] = [Strict]
    for shape in shapes:
        shapes += shape.__subclasses__()
    lax = [
        (shape.__name__, node["type"])
        for shape in shapes
        if shape.__module__.startswith("service.")
        for node in nodes(shape.__pydantic_core_schema__)
        if node.get("type") in ("int", "float", "bool") and not node.get("strict")
    ]
    assert len(shapes) > 20 and not lax


def nodes(schema: Any) -> Iterator[Json]:
    """Every object within a schema of pydantic's core."""
    if isinstance(schema, dict):
        yield schema
    for inner in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(inner, dict | list | tuple):
            yield from nodes(inner)


async def test_a_number_or_a_flag_in_quotes_is_refused_and_words_and_times_are_strings(
    platform: Platform,
) -> None:
    written = {"occurred_at": "2026-01-01T00:00:00Z", "visibility": "branch", "privacy_class": "personal"}
    await platform.recorded(*OPENING, asked("m1", "x", **written))
    for path, body in (
        ("/v1/events", {**BATCH, "expected_head": "0"}),
        ("/v1/events", {**BATCH, "events": [ran("r1", input_tokens="1")]}),
        ("/v1/events", {**BATCH, "events": [ran("r1", input_tokens=True)]}),
        ("/v1/events", {**BATCH, "events": [called("c1", retry_critical=1)]}),
        ("/v1/assemble", {**ASSEMBLE, "preview": "yes"}),
        ("/v1/assemble", {**ASSEMBLE, "budget_tokens": "900"}),
        ("/v1/artifacts/c1/rehydrate", {**REHYDRATE, "heading": 0}),
        ("/v1/artifacts/c1/rehydrate", {**REHYDRATE, "rows": ["1", 2]}),
        ("/v1/configuration", {"settings": {"providers": {"x": {"trains_on_data": "off"}}}}),
        ("/v1/configuration", {"settings": {"agents": {"a": {"packing": {"thrift": "1.5"}}}}}),
        ("/v1/configuration/1/activate", {"expected_version": "0"}),
        ("/v1/assemblies/x/replay", {"configuration_number": "1"}),
    ):
        problem(await platform.send("POST", path, body), 422, "invalid_request")


async def test_a_header_never_comes_back(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    for response in (
        await platform.record(asked("m1", "x"), idempotency_key=CANARY * 20),
        await platform.assemble(Consistency_Token=CANARY),
        await platform.assemble(Consistency_Token=CANARY * 900),
        await platform.send("POST", "/v1/events", {}, Content_Length=f"{CANARY}"),
    ):
        problem(clean(response), 422, "invalid_request")
    refused = await platform.http.get("/v1/assemblies/x", headers={"Authorization": f"Bearer {CANARY}"})
    problem(clean(refused), 401, "unauthorized")


async def test_ids_in_use_and_ids_unknown_never_come_back(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked(CANARY, CANARY), called(CANARY), ran(CANARY), forked(CANARY))
    for events in (
        (asked(CANARY, CANARY),),
        (called(CANARY),),
        (ran(CANARY),),
        (forked(CANARY),),
        (answered(f"{CANARY} no", CANARY),),
        (asked("m", "x", by=f"{CANARY} no"),),
        (answered(CANARY, 1), answered(CANARY, CANARY)),
    ):
        response = clean(await platform.record(*events))
        assert response.status_code in (409, 422)
    for more in ({"by": CANARY}, {"branch": f"{CANARY} no"}, {"at": CANARY}, {"provider": CANARY}):
        assert clean(await platform.assemble(**more)).status_code in (404, 422)
    problem(clean(await platform.assemble(1)), 422, "budget_too_small")


async def test_a_failure_of_ours_names_a_kind_of_error_and_a_route_and_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = FastAPI()
    problems.install(app)

    @app.get("/things/{thing}")
    async def fail(thing: str) -> None:
        raise ValueError(f"{thing} {CANARY}")

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        problem(clean(await client.get(f"/things/{CANARY}")), 500, "internal")
    told = capsys.readouterr().out
    assert "ValueError" in told and "/things/{thing}" in told and CANARY not in told
