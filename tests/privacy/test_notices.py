"""Whoever was given a person's data is to be told what became of it, once each."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from agent_platform import agent, asked, forked, human, opened, ran, remembered
from officers import Office

from service.graph.driver import Graph, Transaction

LOCAL = {"trains_on_data": False, "zero_data_retention": True, "local": True}
AWAY = {"trains_on_data": False}
SETTINGS = {
    "providers": {"acme": AWAY, "other": AWAY, "third": AWAY, "here": LOCAL},
    "privacy": {"recipients": ["Analytics Ltd"]},
}


@pytest.fixture
async def talked(office: Office) -> Office:
    """Mia alone with a model of acme and one of this house, then with Ben where other had answered before."""
    platform = office.platform
    await platform.configured(SETTINGS)
    await platform.recorded(opened(user_id="u-mia"), human("mia", user_id="u-mia"), agent())
    await platform.recorded(asked("m1", "Mia was here.", "mia"))
    await platform.recorded(ran("r1", provider="acme"), ran("r2", provider="here"), ran("r3"))
    await platform.recorded(opened(user_id="u-ben"), human("ben", user_id="u-ben"), agent(), at="shared")
    await platform.recorded(asked("b1", "Ben alone.", "ben"), ran("b2", provider="other"), at="shared")
    await platform.recorded(
        human("mia", user_id="u-mia"), asked("b3", "Mia joins.", "mia"), forked("side"), at="shared"
    )
    return office


async def outbox(office: Office, query: str = "") -> list[dict[str, Any]]:
    """The notices."""
    answer = await office.first.send("GET", f"/v1/privacy-notices{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["notices"]
    return found


async def recipients(office: Office, query: str = "") -> list[str]:
    return sorted(one["recipient"] for one in await outbox(office, query))


async def died_before_restricting(tx: Transaction, request_uid: str) -> None:
    """As where the process died after it had made the request."""
    back = "MATCH (r:PrivacyRequest {uid: $uid}) SET r.stage = 'received'"
    await (await tx.run(back, uid=request_uid)).consume()


async def noted(office: Office, notice_id: str, second: bool = False, **body: Any) -> httpx.Response:
    who = office.second if second else office.first
    return await who.send("POST", f"/v1/privacy-notices/{notice_id}/sent", body)


async def test_an_erasure_tells_who_was_given_the_persons_data_and_nobody_else(
    talked: Office, stranger: Office
) -> None:
    await talked.asked("erase", "u-mia")
    plan = await talked.previewed("erase")
    assert await outbox(talked) == [], "nothing has been carried out"
    done = await talked.approved("erase", plan["plan_digest"])
    assert (done["stage"], done["notices"]) == ("done", {"open": 2, "sent": 0})
    told = await outbox(talked)
    assert sorted(one["recipient"] for one in told) == ["Analytics Ltd", "acme"]
    for one in told:
        assert (one["what"], one["request_id"], one["state"]) == ("erasure", "erase", "open")
        assert one["request_uid"] == done["uid"]
    assert await outbox(stranger) == [], "another tenant's outbox is empty"
    assert (await noted(stranger, told[0]["notice_id"])).status_code == 404


async def test_who_answers_in_a_conversation_after_the_person_joined_was_given_it(talked: Office) -> None:
    await talked.platform.recorded(ran("b4", provider="third"), at="shared", branch="side")
    await talked.erased("u-mia")
    assert await recipients(talked) == ["Analytics Ltd", "acme", "third"]


async def test_who_is_given_memories_of_the_person_elsewhere_or_a_context_is_told(talked: Office) -> None:
    platform = talked.platform
    await platform.recorded(remembered("k1", "Mia likes trains.", by="mia"))
    made = await platform.assemble(by="agent", provider="other")
    assert made.status_code == 201, made.text
    await platform.recorded(ran("r4", assembly_id=made.json()["assembly_id"]))
    await talked.erased("u-mia")
    assert await recipients(talked) == ["Analytics Ltd", "acme", "other"], (
        "a run may leave its provider to that"
    )


async def test_a_notice_is_noted_as_sent_once(talked: Office) -> None:
    await talked.erased("u-mia")
    first, other = [one["notice_id"] for one in await outbox(talked, "?state=open")]
    sent = await noted(talked, first, reference="T-17", sent_at="2026-01-05T10:00:00Z")
    assert (sent.status_code, sent.json()["state"]) == (200, "sent")
    assert (await noted(talked, first, reference="T-17")).json() == sent.json(), "the same again"
    for again in (
        await noted(talked, first, reference="T-18"),
        await noted(talked, first, reference="T-17", sent_at="2026-01-06T10:00:00Z"),
        await noted(talked, first, second=True, reference="T-17"),
    ):
        assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert [one["notice_id"] for one in await outbox(talked, "?state=open")] == [other]
    assert [one["reference"] for one in await outbox(talked, "?state=sent")] == ["T-17"]
    assert (await talked.read("erase"))["notices"] == {"open": 1, "sent": 1}
    late = await noted(talked, other, sent_at="2099-01-01T00:00:00Z")
    assert (late.status_code, late.json()["errors"][0]["location"]) == (422, "sent_at")
    assert (await noted(talked, "no such notice")).status_code == 404


async def test_the_outbox_is_read_in_pages_while_it_is_emptied(talked: Office) -> None:
    await talked.erased("u-mia")
    await talked.asked("hide", "u-ben", kind="restriction")
    seen: list[str] = []
    cursor = ""
    while True:
        answer = await talked.first.send("GET", f"/v1/privacy-notices?state=open&limit=1{cursor}")
        page = answer.json()
        for one in page["notices"]:
            seen.append(one["recipient"])
            assert (await noted(talked, one["notice_id"])).status_code == 200
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert sorted(seen) == ["Analytics Ltd", "Analytics Ltd", "acme", "other"]
    assert await outbox(talked, "?state=open") == []


async def test_a_restriction_tells_too_and_once(talked: Office, graph: Graph) -> None:
    made = await talked.asked("hide", "u-mia", kind="restriction")
    assert made["notices"] == {"open": 2, "sent": 0}
    assert await talked.asked("hide", "u-mia", kind="restriction") == made
    assert {one["what"] for one in await outbox(talked)} == {"restriction"}
    await graph.write(lambda tx: died_before_restricting(tx, made["uid"]))
    again = await talked.asked("hide", "u-mia", kind="restriction")
    assert (again["stage"], again["notices"]) == ("begun", {"open": 2, "sent": 0})


async def test_an_access_tells_nobody(talked: Office) -> None:
    await talked.asked("see", "u-mia", kind="access")
    assert (await talked.approved("see"))["notices"] == {"open": 0, "sent": 0}
