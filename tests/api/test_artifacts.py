"""Artifacts: what a tool answered comes back to the byte, whole or in parts, to those who may see it."""

from __future__ import annotations

import hashlib
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
    called,
    forked,
    problem,
    ran,
)

BYTE_BUDGET = 64 * 1024 * 1024


async def rehydrate(platform: Platform, artifact: str = "c1", **more: Any) -> httpx.Response:
    body = {"conversation_id": TRIP, "participant_id": "agent", "byte_budget": BYTE_BUDGET, **more}
    return await platform.send("POST", f"/v1/artifacts/{artifact}/rehydrate", body)


async def content(platform: Platform, artifact: str = "c1", **more: Any) -> str:
    response = await rehydrate(platform, artifact, **more)
    assert response.status_code == 200, response.text
    return str(response.json()["content"])


@pytest.mark.parametrize(
    "result",
    [
        "",
        "plain",
        " \r\n\t",
        "a\x00b",
        "ÄŁ漢😀\u2028",
        '{"b": 1,  "a": 2}',
        "x" * 16_384,
        "é" * 8_193,
        "line\n" * 200_000,
    ],
    ids=["empty", "plain", "blanks", "NUL", "unicode", "JSON text", "16 KiB", "16 KiB and 2", "1 MB"],
)
async def test_a_result_comes_back_to_the_byte(platform: Platform, result: str) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", result))
    told = (await rehydrate(platform)).json()
    assert (told["content"], told["whole"], told["call_id"]) == (result, True, "c1")
    assert told["result_bytes"] == told["content_bytes"] == len(result.encode())


async def test_a_part_comes_back_by_pointer_rows_or_bytes(platform: Platform) -> None:
    table = "id,seat\n1,12A\n2,12B\n3,12C\n"
    await platform.recorded(*OPENING, called("c1"), answered("c1", {"a/b": [{"~": "é"}]}))
    await platform.recorded(called("c2"), answered("c2", table), called("c3"), answered("c3", "aé"))
    assert await content(platform, json_pointer="/a~1b/0/~0") == "é"
    assert await content(platform, json_pointer="/a~1b") == '[{"~":"é"}]'
    assert await content(platform, "c2", rows=[3, 4], heading=True) == "id,seat\n2,12B\n3,12C\n"
    assert await content(platform, "c3", byte_range=[1, 2]) == "é"


@pytest.mark.parametrize(
    "part",
    [
        {"json_pointer": "/canary"},
        {"json_pointer": "canary"},
        {"json_pointer": "/" + "canary/" * 100},
        {"rows": [0, 1]},
        {"rows": [5, 4]},
        {"rows": [9, 9]},
        {"byte_range": [2, 1]},
        {"byte_budget": 1},
        {"json_pointer": "", "rows": [1, 1]},
        {"provider": "canary"},
    ],
)
async def test_a_part_that_is_none_is_refused_without_repeating_it(platform: Platform, part: Json) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", "aé canary"))
    response = await rehydrate(platform, **part)
    problem(response, 422, "invalid_request")
    assert "canary" not in response.text


@pytest.mark.parametrize(
    "text", ['{"a": "\\ud83d"}', '{"a": NaN}', '{"a": 1e999}', '{"a": ' + "[" * 900 + "]" * 900 + "}"]
)
async def test_a_pointer_into_text_that_is_not_quite_json_is_no_failure(
    platform: Platform, text: str
) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", text))
    for pointer in ("", "/a"):
        assert (await rehydrate(platform, json_pointer=pointer)).status_code in (200, 422)


async def test_foreign_missing_unanswered_and_private_artifacts_answer_alike(
    platform: Platform, neighbour: Platform
) -> None:
    await platform.recorded(*OPENING, agent("rival"), forked("aside"))
    await platform.recorded(called("mine"), answered("mine", "canary"), called("open"))
    await platform.recorded(called("theirs", by="rival"), answered("theirs", "canary"))
    await platform.recorded(called("audit", visibility="audit"), answered("audit", "canary"))
    await platform.recorded(called("there"), answered("there", "canary"), branch="aside")
    missing = problem(await rehydrate(platform, "none"), 404, "not_found")
    for artifact in ("c1", "theirs", "audit", "there"):
        assert (await rehydrate(platform, artifact)).json() == missing, artifact
    problem(await rehydrate(platform, "open"), 404, "not_found")
    assert await content(platform, "mine") == "canary"
    assert await content(platform, "there", branch_id="aside") == "canary"
    assert (await rehydrate(platform, "mine", branch_id="aside")).status_code == 404
    assert neighbour.tenant_id != platform.tenant_id


async def test_an_item_of_a_context_leads_to_the_exact_bytes(platform: Platform) -> None:
    await platform.recorded(*OPENING, ran("r1"), called("c1", run_id="r1"), answered("c1", {"seat": "12A"}))
    await platform.recorded(ran("r2"))
    context = await platform.assembled(4000)
    [memory] = [i for s in context["sections"] for i in s["items"] if i["kind"] == "tool_memory"]
    assert await content(platform, memory["uid"]) == '{"seat":"12A"}'


async def test_an_error_without_a_result_is_what_comes_back(platform: Platform) -> None:
    failed = {"call_status": "failed", "error": "is out"}
    await platform.recorded(*OPENING, called("c1"), {"kind": "tool_result", "call_id": "c1", **failed})
    told = (await rehydrate(platform)).json()
    assert (told["content"], told["result_bytes"], told["whole"]) == ("is out", 6, True)
    assert told["result_sha256"] == hashlib.sha256(b"is out").hexdigest()


async def test_a_fork_gets_its_own_answer_and_not_its_parents_later_one(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), forked("one"), forked("two"), answered("c1", "in main"))
    await platform.recorded(answered("c1", "in one"), branch="one")
    assert await content(platform) == "in main"
    assert await content(platform, branch_id="one") == "in one"
    assert (await rehydrate(platform, branch_id="two")).status_code == 404


async def test_a_class_bars_bytes_from_a_provider(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1", privacy_class="secret"), answered("c1", "canary"))
    refused = await rehydrate(platform)
    assert problem(refused, 403, "rehydration_refused")["reason"] == "privacy_class_barred"
    assert "canary" not in refused.text
    assert await content(platform, provider="local") == "canary"
