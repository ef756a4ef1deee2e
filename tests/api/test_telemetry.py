"""What the service says about itself: numbers by route, kind and reason, ids of requests, lines without
content."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import structlog
from agent_platform import OPENING, Platform, answered, asked, called, problem, ran, replied
from prometheus_client import REGISTRY

from service.api.app import create_app
from service.settings import MetricsReach
from service.telemetry import configure_logging

Lines = Callable[[], list[dict[str, Any]]]
SECRET = "what Ada said"


@pytest.fixture
def log_lines(capsys: pytest.CaptureFixture[str]) -> Iterator[Lines]:
    """Called once: this process logs as a service does, at its most talkative. Then: the new lines."""
    root = logging.getLogger()
    handlers, level, before = root.handlers[:], root.level, structlog.get_config()
    begun = False

    def lines() -> list[dict[str, Any]]:
        nonlocal begun
        out, said = capsys.readouterr()
        if not begun:  # not in the fixture: each phase of a test has a stderr of its own
            configure_logging("debug")
            begun = True
            return []
        assert out == ""
        return [json.loads(line) for line in said.splitlines()]

    yield lines
    structlog.configure(**before)
    root.handlers[:], root.level = handlers, level


def count(name: str, **labels: str) -> float:
    """A metric's value; a label that was never used stands at 0."""
    return REGISTRY.get_sample_value(f"runtime_graph_{name}", labels) or 0.0


class Nothing:
    """No use cases, and nothing that goes on in the background."""

    privacy = None

    class learning:
        @staticmethod
        async def close() -> None:
            pass


@asynccontextmanager
async def broken_service(
    metrics_for: MetricsReach = "loopback", caller: str = "127.0.0.1"
) -> AsyncIterator[httpx.AsyncClient]:
    """A client, at some address, of a service whose use cases are missing: what needs one fails
    unexpectedly."""

    @asynccontextmanager
    async def nothing() -> AsyncIterator[Any]:
        yield Nothing()

    app = create_app(nothing, metrics_for=metrics_for)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(caller, 5000))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://service") as client,
    ):
        yield client


async def test_a_plain_request_id_is_echoed(platform: Platform) -> None:
    answer = await platform.send("GET", "/health/live", X_Request_Id="run-7.step_2")
    assert answer.headers["X-Request-Id"] == "run-7.step_2"


@pytest.mark.parametrize("given", ["", "two words", "a" * 65, "line\tfeed", '{"a":1}'])
async def test_another_request_id_is_replaced_by_one_of_ours(platform: Platform, given: str) -> None:
    ids = [
        (await platform.send("GET", "/health/live", X_Request_Id=given)).headers["X-Request-Id"]
        for _ in range(2)
    ]
    assert len(set(ids)) == 2
    assert given not in ids
    assert all(len(one) == 36 for one in ids)


async def test_refusals_and_unexpected_errors_have_an_id_and_are_counted() -> None:
    async with broken_service() as client:
        before = count("requests_total", route="/health/ready", method="GET", status="500")
        failed = await client.get("/health/ready", headers={"X-Request-Id": "r1"})
        missing = await client.get("/nowhere", headers={"X-Request-Id": "r2"})
    problem(failed, 500, "internal")
    assert (failed.headers["X-Request-Id"], missing.headers["X-Request-Id"]) == ("r1", "r2")
    assert count("requests_total", route="/health/ready", method="GET", status="500") == before + 1


async def test_requests_are_counted_by_their_routes_template(platform: Platform) -> None:
    labels = {"route": "/v1/assemblies/{assembly_id}", "method": "GET"}
    before = count("requests_total", **labels, status="404"), count("request_seconds_count", **labels)
    await platform.send("GET", "/v1/assemblies/an-id-of-theirs")
    after = count("requests_total", **labels, status="404"), count("request_seconds_count", **labels)
    assert after == (before[0] + 1, before[1] + 1)
    assert "an-id-of-theirs" not in (await platform.send("GET", "/metrics")).text


async def test_paths_and_methods_of_a_callers_making_get_no_label_of_their_own(platform: Platform) -> None:
    before = count("requests_total", route="other", method="other", status="404")
    await platform.send("BREW", "/coffee")
    assert count("requests_total", route="other", method="other", status="404") == before + 1


async def test_events_are_counted_by_kind_and_a_repetition_is_not(platform: Platform) -> None:
    before = {kind: count("events_total", kind=kind) for kind in ("participant", "message")}
    for _ in range(2):
        await platform.recorded(*OPENING, asked("m1", SECRET), idempotency_key="k")
    await platform.record(asked("m1", "The id is taken, so nothing is recorded."))
    after = {kind: count("events_total", kind=kind) for kind in before}
    assert after == {"participant": before["participant"] + 2, "message": before["message"] + 1}


async def test_an_assembly_is_counted_with_its_tokens_and_omissions(platform: Platform) -> None:
    long = [replied(f"old-{n}", f"Flight {n} leaves at noon. " * 40) for n in range(8)]
    await platform.recorded(*OPENING, *long, asked("m1", "And now?"))
    labels = {"profile": "default", "runtime_kind": "chat"}
    names = ("assemblies_total", "assembled_tokens_total", "saved_tokens_total")
    before = [count(name, **labels if name == names[0] else {}) for name in names]
    stages = [count("assembly_seconds_count", stage=stage) for stage in ("graph", "policy", "render")]

    context = await platform.assembled(400)
    told = context["tokens"]
    reasons = [omission["reason"] for omission in context["omissions"]]
    omitted = {reason: count("omissions_total", reason=reason) for reason in reasons}
    assert omitted
    again = await platform.assembled(400)

    after = [count(name, **labels if name == names[0] else {}) for name in names]
    assert told["saved"] > 0
    assert after == [before[0] + 2, before[1] + 2 * told["assembled"], before[2] + 2 * told["saved"]]
    assert [count("assembly_seconds_count", stage=stage) for stage in ("graph", "policy", "render")] == [
        one + 2 for one in stages
    ]
    for omission in again["omissions"]:
        reason = omission["reason"]
        assert count("omissions_total", reason=reason) == omitted[reason] + omission["count"]


@pytest.mark.parametrize(
    ("metrics_for", "caller", "status"),
    [
        ("loopback", "127.0.0.1", 200),
        ("loopback", "::1", 200),
        ("loopback", "192.0.2.7", 404),
        ("loopback", "a socket", 404),
        ("all", "192.0.2.7", 200),
        ("off", "127.0.0.1", 404),
    ],
)
async def test_metrics_are_for_whom_the_setting_names(
    metrics_for: MetricsReach, caller: str, status: int
) -> None:
    async with broken_service(metrics_for, caller) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["content-type"].startswith("text/plain")
        assert "# TYPE runtime_graph_requests_total counter" in answer.text
    else:
        problem(answer, 404, "no_such_path")


async def test_a_request_is_one_line_with_its_id_and_no_word_of_it(
    platform: Platform, log_lines: Lines
) -> None:
    log_lines()
    await platform.recorded(
        *OPENING, asked("m-of-theirs", SECRET), ran("run-of-theirs"), called("call-of-theirs")
    )
    await platform.recorded(answered("call-of-theirs", {"said": SECRET}))
    await platform.send("GET", "/v1/messages/m-of-theirs/why", X_Request_Id="r-1")
    lines = log_lines()
    assert [line["route"] for line in lines] == [
        "/v1/events",
        "/v1/events",
        "/v1/messages/{message_id}/why",
    ]
    assert lines[-1]["request_id"] == "r-1"
    assert lines[-1].keys() == {
        *("event", "time", "level", "request_id", "route", "method", "status", "duration_ms")
    }
    for word in (SECRET, "of-theirs", "mia", platform.key, platform.tenant_id):
        assert word not in json.dumps(lines)


async def test_an_unexpected_error_is_logged_by_its_place_with_the_request(log_lines: Lines) -> None:
    log_lines()
    async with broken_service() as client:
        await client.get("/health/ready", headers={"X-Request-Id": "r-2"})
    lines = log_lines()
    assert [(line["event"], line["request_id"]) for line in lines] == [
        ("unexpected error", "r-2"),
        ("request", "r-2"),
    ]
    assert lines[0]["error"] == "AttributeError"
    assert lines[0]["at"].startswith("health.py:")


async def test_a_librarys_line_is_logged_without_its_words(log_lines: Lines) -> None:
    log_lines()
    library = logging.getLogger("some.library")
    try:
        raise ValueError(SECRET)
    except ValueError:
        library.exception("it said %s", SECRET)
    library.info("nobody needs this")
    [line] = log_lines()
    assert (line["library"], line["level"], line["error"]) == ("some.library", "error", "ValueError")
    assert line["at"].startswith("test_telemetry.py:")
    assert SECRET not in json.dumps(line)


async def test_the_api_docs_load_nothing_from_elsewhere(platform: Platform) -> None:
    page = (await platform.http.get("/docs")).text
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert loaded and all(url.startswith("/docs/") for url in loaded), loaded
    assert [url for url in loaded if (await platform.http.get(url)).status_code != 200] == []
    assert '"validatorUrl": null' in page
