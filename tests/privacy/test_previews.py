"""A preview that takes longer than a request may goes on, and nobody approves what it will replace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agent_platform import agent, asked, human, opened, problem
from officers import Office

from service.errors import Unavailable
from service.usecases import privacy_requests

PATH = "/v1/privacy-requests/erase"
Hold = Callable[[BaseException | None], asyncio.Event]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Previews stand still from now on until the event is set, then go on, or fail; no request waits."""
    find = privacy_requests.find_mentions

    def hold(failure: BaseException | None = None) -> asyncio.Event:
        gate = asyncio.Event()

        async def gated(*args: Any) -> Any:
            await gate.wait()
            if failure is not None:
                raise failure
            return await find(*args)

        monkeypatch.setattr(privacy_requests, "find_mentions", gated)
        monkeypatch.setattr("service.usecases.previews.PATIENCE_S", 0.05)
        return gate

    return hold


@pytest.fixture
async def erasure(office: Office) -> Office:
    """Somebody's erasure, asked for."""
    seats = (opened(user_id="u-mia"), human("mia", user_id="u-mia"), agent())
    await office.platform.recorded(*seats, asked("m1", "Hello.", "mia"))
    await office.asked("erase", "u-mia")
    await office.learning.settled()
    return office


async def preview(office: Office, **decisions: str) -> Any:
    return await office.first.send("POST", f"{PATH}/preview", {"decisions": decisions})


async def until(office: Office, stage: str) -> dict[str, Any]:
    while True:
        row = await office.read("erase")
        if row["stage"] == stage:
            return row


async def test_it_goes_on_and_the_request_says_when_its_plan_is_there(erasure: Office, held: Hold) -> None:
    gate = held(None)
    first, second = await asyncio.gather(preview(erasure), preview(erasure))
    assert (first.status_code, second.status_code) == (202, 202), first.text
    assert (first.json()["stage"], first.json()["plan"]) == ("received", None)
    gate.set()
    row = await until(erasure, "previewed")
    done = await erasure.approved("erase", row["plan_digest"])
    assert done["state"] == "fulfilled", done


async def test_what_went_wrong_with_it_is_told_to_who_asks_again(erasure: Office, held: Hold) -> None:
    gate = held(Unavailable())
    assert (await preview(erasure)).status_code == 202
    gate.set()
    await all_ended(erasure)
    problem(await preview(erasure), 503, "unavailable")
    held(None).set()
    row = await erasure.previewed("erase")
    assert row["plan"]["counts"]["nodes"]["Message"] == 1


async def test_one_with_other_decisions_waits_its_turn(erasure: Office, held: Hold) -> None:
    gate = held(Unavailable())
    assert (await preview(erasure)).status_code == 202
    problem(await preview(erasure, nothing="erase"), 409, "conflict")
    gate.set()
    await all_ended(erasure)
    held(None).set()
    while (other := await preview(erasure, nothing="erase")).status_code == 202:
        pass
    problem(other, 422, "invalid_request")


async def test_while_it_is_under_way_the_plan_before_it_is_not_approved(erasure: Office, held: Hold) -> None:
    before = await erasure.previewed("erase")
    gate = held(None)
    while (await preview(erasure)).json()["plan"] is not None:
        pass  # the first request may give up before the preview has begun
    body = {"plan_digest": before["plan_digest"]}
    problem(await erasure.second.send("POST", f"{PATH}/approve", body), 409, "conflict")
    gate.set()
    assert (await until(erasure, "previewed"))["plan_digest"] == before["plan_digest"]


async def all_ended(office: Office) -> None:
    tasks = [task for _, task in office.privacy.previews._under_way.values()]
    await asyncio.wait(tasks)
