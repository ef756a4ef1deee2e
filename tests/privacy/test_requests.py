"""A request's way: made, previewed, approved by a second person, or taken back, denied, extended."""

from __future__ import annotations

import pytest
from agent_platform import OPENING, asked
from officers import Office


@pytest.fixture
async def mia(office: Office) -> Office:
    """An office whose tenant knows Mia."""
    await office.platform.recorded(*OPENING, asked("m1", "Mia was here."))
    return office


async def post(office: Office, path: str, body: object = None, second: bool = False) -> tuple[int, str]:
    who = office.second if second else office.first
    answer = await who.send("POST", f"/v1/privacy-requests/{path}", body)
    return answer.status_code, answer.json().get("code", answer.json().get("state"))


async def test_made_again_a_request_is_the_same_one(mia: Office) -> None:
    first = await mia.asked("r1", "u-mia")
    assert await mia.asked("r1", "u-mia") == first
    body = {"request_id": "r1", "request_kind": "access", "user_id": "u-mia"}
    refused = await mia.first.send("POST", "/v1/privacy-requests", body)
    assert (refused.status_code, refused.json()["code"]) == (409, "id_taken")


async def test_a_rectification_says_what_is_wrong_and_nothing_else_does(mia: Office) -> None:
    for kind, more in (
        ("rectification", {}),
        ("erasure", {"corrections": [{"event": {"message_id": "m1"}, "text": "Right."}]}),
    ):
        body = {"request_id": "r1", "request_kind": kind, "user_id": "u-mia", **more}
        refused = await mia.first.send("POST", "/v1/privacy-requests", body)
        assert (refused.status_code, refused.json()["errors"][0]["location"]) == (422, "corrections")


async def test_an_unknown_person_has_no_request_and_an_erased_one_is_gone(mia: Office) -> None:
    body = {"request_id": "r0", "request_kind": "erasure", "user_id": "nobody"}
    unknown = await mia.first.send("POST", "/v1/privacy-requests", body)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    assert (await mia.erased("u-mia", "r1"))["state"] == "fulfilled"
    gone = await mia.first.send("POST", "/v1/privacy-requests", {**body, "user_id": "u-mia"})
    assert (gone.status_code, gone.json()["code"]) == (410, "erased")
    late = await mia.platform.record(asked("m2", "Late."))
    assert (late.status_code, late.json()["code"]) == (410, "erased")


async def test_who_asked_does_not_approve(mia: Office) -> None:
    await mia.asked("r1", "u-mia")
    assert await post(mia, "r1/approve", {}, second=True) == (409, "conflict"), "it has no plan"
    digest = (await mia.previewed("r1"))["plan_digest"]
    assert await post(mia, "r1/approve", {"plan_digest": digest}) == (409, "conflict")
    assert await post(mia, "r1/approve", {"plan_digest": "0" * 64}, second=True) == (409, "conflict")
    assert (await mia.read("r1"))["state"] == "open"
    done = await mia.approved("r1", digest)
    assert done["requested_by"] != done["approved_by"]


async def test_a_plan_that_the_graph_has_left_behind_is_not_carried_out(mia: Office) -> None:
    await mia.asked("r1", "u-mia")
    digest = (await mia.previewed("r1"))["plan_digest"]
    await mia.platform.recorded(asked("m2", "And again."))
    back = await mia.approved("r1", digest)
    assert (back["state"], back["stage"], back["plan"]) == ("open", "received", None)
    seen = await mia.platform.read("/v1/branches/main/transcript", participant_id="agent")
    assert len(seen["entries"]) == 2
    assert (await mia.approved("r1", (await mia.previewed("r1"))["plan_digest"]))["state"] == "fulfilled"


async def test_what_nothing_was_destroyed_for_is_taken_back_or_denied(mia: Office) -> None:
    await mia.asked("r1", "u-mia")
    assert await post(mia, "r1/cancel") == (200, "revoked")
    assert await post(mia, "r1/cancel") == (409, "conflict")
    await mia.asked("r2", "u-mia")
    assert await post(mia, "r2/deny", {"reason": "identity_not_proven"}) == (200, "denied")
    assert await post(mia, "r2/preview", {}) == (409, "conflict")
    assert await post(mia, "r3/cancel") == (404, "not_found")


async def test_a_deadline_is_a_month_and_extended_three(mia: Office) -> None:
    made = await mia.asked("r1", "u-mia", received_at="2026-01-31T10:00:00Z")
    assert made["due_at"].startswith("2026-03-02"), "28 February is a Saturday, and a Monday follows"
    assert made["overdue"]
    listed = await mia.first.send("GET", "/v1/privacy-requests?overdue=true")
    assert [one["request_id"] for one in listed.json()["requests"]] == ["r1"]
    assert await post(mia, "r1/extend", {"reason": "complexity"}) == (409, "conflict"), "it has passed"
    await mia.asked("r2", "u-mia")
    assert await post(mia, "r2/extend", {"reason": "complexity"}) == (200, "open")
    extended = await mia.read("r2")
    assert extended["extension_reason"] == "complexity"
    assert await post(mia, "r2/extend", {"reason": "complexity"}) == (409, "conflict"), "it was extended"


async def test_a_restriction_hides_at_once_and_is_lifted(mia: Office) -> None:
    made = await mia.asked("r1", "u-mia", kind="restriction")
    assert (made["state"], made["stage"]) == ("in_progress", "begun")
    hidden = await mia.platform.send(
        "GET", "/v1/branches/main/transcript?conversation_id=trip&participant_id=agent"
    )
    assert "Mia was here." not in hidden.text
    assert await post(mia, "r1/lift") == (200, "fulfilled")
    shown = await mia.platform.send(
        "GET", "/v1/branches/main/transcript?conversation_id=trip&participant_id=agent"
    )
    assert "Mia was here." in shown.text


async def test_no_request_of_another_tenant_is_known(mia: Office, stranger: Office) -> None:
    await mia.asked("r1", "u-mia")
    assert (await stranger.first.send("GET", "/v1/privacy-requests/r1")).status_code == 404
    for verb, body in (("preview", {}), ("approve", {}), ("cancel", None), ("lift", None)):
        assert (await post(stranger, f"r1/{verb}", body, second=True))[0] == 404
    assert (await stranger.first.send("GET", "/v1/privacy-requests")).json()["requests"] == []
