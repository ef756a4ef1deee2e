"""Where one right meets another, or meets its own half-done past: nothing is lost, left or locked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from agent_platform import OPENING, agent, answered, asked, called, human, opened, problem
from lives import LARGE, texts_of
from officers import Office
from served import Rows
from test_retention import ran, ruled, transcript

from service.clock import SystemClock
from service.errors import Unavailable
from service.graph.driver import Graph
from service.usecases.check_ledger import CheckLedger
from service.usecases.erasure.run import RunErasure
from service.usecases.know_erasures import KnownErasures
from service.usecases.retention.walk import Walk

HOLD = {"hold_id": "h1", "user_id": "u-mia", "basis": "Section 17", "expires_at": "2099-01-01T00:00:00Z"}
CANARY = "zqmia5d1e7b3a9c"
BENS = "What Mia told Ben about Kreuzberg."


def large() -> dict[str, str]:
    return {"of": CANARY, "more": "x" * LARGE}


def second_try_of(office: Office, ends: list[str]) -> RunErasure:
    """Who erases and is stopped the first time that what lies outside the graph is destroyed."""
    run = office.privacy.carrying_out.erase

    async def before_ending(tenant_id: str, people: object) -> None:
        if not ends:
            ends.append("stopped")
            raise Unavailable("stopped")
        await run.before_ending(tenant_id, people)  # type: ignore[arg-type]

    return replace(run, before_ending=before_ending)


async def test_a_hold_that_ends_leaves_the_service_open_and_an_older_copy_ends_it_again(
    office: Office, graph: Graph, rows: Rows
) -> None:
    await office.platform.recorded(*OPENING, called("c1"), answered("c1", large()))
    held = (await office.first.send("POST", "/v1/legal-holds", HOLD)).json()
    await office.erased("u-mia")
    known = KnownErasures(office.custody.ledger, office.custody.keys_folder, office.custody.mark_name)
    check = CheckLedger(graph, known, SystemClock())
    assert await check() == []
    assert (await office.first.send("POST", "/v1/legal-holds/h1/end")).status_code == 200
    assert await check() == [], "an ended hold is nothing that this database is behind"

    async def older(tx: object) -> None:  # as the hold stands in a copy from before its end
        cypher = "MATCH (h:LegalHold {uid: $uid}) REMOVE h.ended_at WITH h MATCH (m:LedgerMark {name: $mark})"
        cypher += " SET m.ledger_seq = m.ledger_seq - 1"
        ran = await tx.run(cypher, uid=held["uid"], mark=office.custody.mark_name)  # type: ignore[attr-defined]
        await ran.consume()

    await graph.write(older)
    assert await office.privacy.carrying_out() == 0, "nothing is carried out in a copy that is behind"
    assert await office.privacy.holds.end_expired() == 0
    assert await office.privacy.replay() == 1
    [hold] = (await office.first.send("GET", "/v1/legal-holds")).json()["holds"]
    assert hold["ended_at"] is not None
    assert await check() == []


async def test_an_erasure_under_a_hold_goes_on_after_the_keys_were_destroyed(office: Office) -> None:
    await office.platform.recorded(*OPENING, called("c1"), answered("c1", large()))
    await office.first.send("POST", "/v1/legal-holds", HOLD)
    await office.asked("erase", "u-mia")
    plan = await office.previewed("erase")
    ends: list[str] = []
    carrying_out = office.privacy.carrying_out
    whole, carrying_out.erase = carrying_out.erase, second_try_of(office, ends)
    try:
        done = await office.approved("erase", plan["plan_digest"])
    finally:
        carrying_out.erase = whole
    assert (done["state"], ends) == ("fulfilled", ["stopped"])
    kept = (await office.first.send("GET", "/v1/legal-holds/h1/events")).json()["events"]
    assert any(one["blobs"] for one in kept), "what was sealed before the keys went is there"


async def test_large_bytes_of_a_conversation_without_an_owner_go_unless_others_name_them(
    office: Office,
) -> None:
    nobody = (opened(user_id=None), agent())
    await office.platform.recorded(
        *nobody, human(), asked("m1", "Hi."), called("c1"), answered("c1", large())
    )
    other = {"of": "all", "more": "y" * LARGE}
    await office.platform.recorded(called("c2"), answered("c2", other))
    await office.platform.recorded(
        *nobody, human("ben"), asked("b1", "Hi.", "ben"), called("b2"), answered("b2", other), at="bens"
    )
    assert (await office.custody.blobs.count_tenant(office.platform.tenant_id))[0] == 2
    assert (await office.erased("u-mia"))["state"] == "fulfilled"
    assert (await office.custody.blobs.count_tenant(office.platform.tenant_id))[0] == 1, "Ben's stays"


async def test_who_became_the_same_person_after_a_hold_is_held_in_retention(
    office: Office, rows: Rows
) -> None:
    await office.platform.recorded(*OPENING)
    await office.platform.recorded(opened(user_id="u-work"), human("w", user_id="u-work"), at="work")
    await office.first.send("POST", "/v1/legal-holds", HOLD)
    assert (await office.first.send("PUT", "/v1/users/u-mia/same-as/u-work")).status_code == 200
    retention, tenant_id = office.privacy.retention, office.platform.tenant_id
    users = await rows("MATCH (u:User {tenant_id: $t}) RETURN u.uid AS uid", t=tenant_id)
    held = await retention.graph.read(lambda tx: retention._held(tx, tenant_id, retention.clock()))
    assert held == {one["uid"] for one in users}


async def test_a_hold_that_is_set_during_a_run_keeps_what_the_run_has_not_come_to(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ruled(office, Message="delete")
    await office.platform.recorded(*OPENING, *(asked(f"m{n}", f"Word {n}.") for n in range(6)))
    monkeypatch.setattr("service.usecases.retention.reading.SEQS_PER_STRETCH", 3)
    write, answers = Walk._write, list[int]()

    async def writes(self: Walk, decide_on: Any) -> Any:
        batch = await write(self, decide_on)
        if batch.gone and not answers:
            answers.append((await office.first.send("POST", "/v1/legal-holds", HOLD)).status_code)
        return batch

    monkeypatch.setattr(Walk, "_write", writes)
    assert (await ran(office))["done"]["Message"] == {"delete": 3}
    assert (answers, await transcript(office)) == ([201], ["Word 0.", "Word 1.", "Word 2."])


async def test_an_event_of_others_goes_as_a_whole_where_two_people_decided_it(
    office: Office, rows: Rows
) -> None:
    both = {"subject_ids": ["u-mia", "u-ben"]}
    await office.platform.recorded(opened(user_id="u-ben"), human("ben"), human("mia"), agent())
    await office.platform.recorded(asked("b1", BENS, "ben", **both), asked("b2", "Ben alone.", "ben"))
    await office.asked("erase", "u-mia")
    review = (await office.previewed("erase"))["plan"]["review"]
    [uid] = [
        row["uid"]
        for row in await rows(
            "MATCH (m:Message {tenant_id: $t, message_id: 'b1'}) "
            "MATCH (e:Event {branch_ref: m.branch_ref, seq: m.seq}) RETURN e.uid AS uid",
            t=office.platform.tenant_id,
        )
    ]
    assert uid in review
    path = "/v1/privacy-requests/erase"
    wrong = await office.first.send("POST", f"{path}/preview", {"decisions": {"nothing": "erase"}})
    problem(wrong, 422, "invalid_request")
    alone = await office.second.send("POST", f"{path}/preview", {"decisions": {uid: "erase"}})
    assert alone.status_code == 200, alone.text
    assert (alone.json()["plan"]["decided"], uid in alone.json()["plan"]["review"]) == ([uid], False)
    body = {"plan_digest": alone.json()["plan_digest"]}
    problem(await office.second.send("POST", f"{path}/approve", body), 409, "conflict")
    plan = await office.previewed("erase", **{uid: "erase"})
    done = await office.approved("erase", plan["plan_digest"])
    assert done["state"] == "fulfilled", done
    text = await texts_of(rows, office.platform.tenant_id)
    assert BENS not in text and "Ben alone." in text


async def test_what_another_request_noted_of_an_erased_person_cannot_be_opened(
    office: Office, rows: Rows
) -> None:
    await office.platform.recorded(*OPENING)
    await office.asked("access", "u-mia", "access", names=["Mia Li"])
    await office.erased("u-mia")
    uid = (await office.read("access"))["uid"]
    assert office.custody.data_keys.find_named("request", uid) is None
    assert (await office.approved("access"))["state"] == "expired"


async def test_a_rectification_leaves_one_that_waits_for_its_approval_as_it_is(office: Office) -> None:
    await office.platform.recorded(*OPENING, asked("m1", "I live in Berlin."))
    for name, town in (("first", "Bonn"), ("later", "Basel")):
        wrong = {"event": {"message_id": "m1"}, "text": f"I live in {town}, for now."}
        await office.asked(name, "u-mia", "rectification", corrections=[wrong])
    for name in ("first", "later"):
        plan = await office.previewed(name)
        assert (await office.approved(name, plan["plan_digest"]))["state"] == "fulfilled"
    read = await office.platform.read("/v1/branches/main/transcript", participant_id="agent")
    assert [one["text"] for one in read["entries"]] == ["I live in Basel, for now."]


async def test_a_restriction_that_died_half_made_hides_nobody_once_it_is_taken_back(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    await office.platform.recorded(*OPENING)

    async def dies(*_: object) -> None:
        raise Unavailable("died")

    body = {"request_id": "hide", "request_kind": "restriction", "user_id": "u-mia"}
    with monkeypatch.context() as patched:
        patched.setattr("service.usecases.privacy_requests.find_recipients", dies)
        assert (await office.first.send("POST", "/v1/privacy-requests", body)).status_code == 503
    assert (await office.first.send("POST", "/v1/privacy-requests/hide/cancel")).status_code == 200
    assert not (await office.first.send("GET", "/v1/users/u-mia")).json()["restricted"]
    for name in ("one", "two"):
        await office.asked(name, "u-mia", "restriction")
    for name, hidden in (("one", True), ("two", False)):
        assert (await office.first.send("POST", f"/v1/privacy-requests/{name}/lift")).status_code == 200
        assert (await office.first.send("GET", "/v1/users/u-mia")).json()["restricted"] is hidden


async def test_a_cursor_that_no_page_answered_is_refused(office: Office) -> None:
    for made_up in ("abc", "-1", "9" * 30, "²"):
        refused = await office.first.send("GET", f"/v1/privacy-requests?cursor={made_up}")
        problem(refused, 422, "invalid_request")
    await office.platform.recorded(*OPENING)
    for name in ("a", "b"):
        await office.asked(name, "u-mia", "access")
    seen, cursor = [], ""
    while cursor is not None:
        page = (await office.first.send("GET", f"/v1/privacy-requests?limit=1{cursor}")).json()
        seen += [one["request_id"] for one in page["requests"]]
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
    assert sorted(seen) == ["a", "b"]
