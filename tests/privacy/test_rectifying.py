"""What is wrong of a person is put right over HTTP: nothing says the old words any more."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from agent_platform import (
    OPENING,
    Json,
    agent,
    answered,
    asked,
    called,
    claimed,
    forked,
    human,
    opened,
    ran,
    remembered,
    replied,
    shown,
)
from lives import texts_of
from officers import Office
from served import Rows

from service.graph.driver import Graph, Transaction
from service.log.kept_heads import KeptHeads
from service.log.ledger import EntryKind
from service.log.receipts import Receipt, hold_against
from service.model.chain import canonical
from service.model.privacy import Destruction, PrivacyRequestKind
from service.usecases.manage_signing_key import trusted_keys
from service.usecases.verify_log import VerifyLog

OLD, NEW = "I live in Grünwald an der Isar.", "I live in Bad Tölz."


async def told(office: Office, **more: Any) -> Json:
    """Mia says where she lives, wrongly; answers what recording answered."""
    return await office.platform.recorded(*OPENING, asked("m1", OLD, **more), replied("m2", "Noted."))


async def put_right(office: Office, *corrections: Json, request_id: str = "right") -> Json:
    """Corrections, from the request to the receipt; answers the request as it stands then."""
    await office.asked(request_id, "u-mia", kind="rectification", corrections=list(corrections))
    plan = await office.previewed(request_id)
    return await office.approved(request_id, plan["plan_digest"])


def wrong(text: str, **event: Any) -> Json:
    return {"event": event, "text": text}


async def test_a_message_says_what_it_should_and_nothing_what_it_said(office: Office, rows: Rows) -> None:
    await told(office)
    before = await office.platform.assembled(by="agent")
    assert OLD in shown(before)
    done = await put_right(office, wrong(NEW, message_id="m1"))
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    after = await office.platform.assembled(by="agent")
    assert NEW in shown(after) and OLD not in shown(after)
    text = await texts_of(rows, office.platform.tenant_id)
    assert OLD not in text and NEW in text
    transcript = await office.platform.read("/v1/branches/main/transcript", participant_id="agent")
    assert [entry["text"] for entry in transcript["entries"]] == [NEW, "Noted."]


async def test_the_receipt_is_what_the_preview_said_and_the_ledger_has_it(office: Office) -> None:
    await told(office)
    done = await put_right(office, wrong(NEW, message_id="m1"))
    plan, receipt = done["plan"], done["receipt"]
    assert (plan["redacted"], plan["counts"]["nodes"]) == (1, {"Payload": 1})
    assert receipt["kind"] == "rectification"
    assert (receipt["nodes"], receipt["redacted"], receipt["derived"]) == (plan["counts"]["nodes"], 1, 0)
    assert receipt["scan"]["needles"] == 1
    keys = trusted_keys(office.custody.keys_folder)
    entries = [one for one in office.custody.ledger.read(keys) if one.request_uid == done["uid"]]
    assert [(one.kind, one.what) for one in entries] == [
        (EntryKind.BEGUN, Destruction.RECTIFICATION),
        (EntryKind.ENDED, Destruction.RECTIFICATION),
    ]
    assert entries[1].counts == {"events": 1}
    text = canonical(receipt)
    hold_against(Receipt.verified(text, keys), text, entries)


async def test_the_log_verifies_and_shows_by_what_an_event_reads_otherwise(
    office: Office, graph: Graph
) -> None:
    made = await told(office)
    done = await put_right(office, wrong(NEW, message_id="m1"))
    old = await read_event(office, made["events"][3]["uid"])
    assert (old["payload"], old["erased_by"]) == (None, done["uid"])
    new = await read_event(office, old["redacted_by"])
    assert (new["kind"], new["redacts"], new["erased_by"]) == ("redaction", old["uid"], done["uid"])
    assert new["payload"]["body"]["parts"] == [{"type": "text", "content": NEW}]
    transcript = await office.platform.read("/v1/branches/main/transcript", participant_id="agent")
    assert [one["redacted_by"] for one in transcript["entries"]] == [new["uid"], None]
    keys = office.custody.keys_folder
    verify = VerifyLog(graph, trusted_keys(keys), KeptHeads(keys / "heads"), office.custody.ledger)
    assert (await verify(office.platform.tenant_id)).is_sound


async def test_a_redaction_is_seen_by_whom_its_event_is_seen(office: Office) -> None:
    made = await told(office, visibility="participant")
    await put_right(office, wrong(NEW, message_id="m1"))
    old = await read_event(office, made["events"][3]["uid"], "mia")
    assert (await read_event(office, old["redacted_by"], "mia"))["redacts"] == old["uid"]
    path = f"/v1/events/{old['redacted_by']}?conversation_id=trip&participant_id=agent"
    assert (await office.platform.send("GET", path)).status_code == 404


async def test_summaries_that_told_the_old_words_tell_the_new_ones(office: Office, rows: Rows) -> None:
    await told(office)
    await office.platform.recorded(asked("m3", "And where do I live?"), replied("m4", "In Grünwald."))
    await office.platform.compacted("c1")
    await office.platform.recorded(asked("m5", "Good."), replied("m6", "Yes."), asked("m7", "Go on."))
    await office.platform.compacted("c2")
    assert "Grünwald an der Isar" in await texts_of(rows, office.platform.tenant_id)
    done = await put_right(office, wrong(NEW, message_id="m1"))
    assert done["receipt"]["derived"] == done["plan"]["derived"] > 0
    text = await texts_of(rows, office.platform.tenant_id)
    assert "Grünwald an der Isar" not in text
    context = await office.platform.assembled(by="agent")
    assert "Bad Tölz" in shown(context)


async def test_each_kind_of_event_is_put_right_with_what_was_made_of_it(office: Office, rows: Rows) -> None:
    await told(office)
    await office.platform.recorded(
        called("k1", {"city": "Grünwald-Süd"}),
        answered("k1", {"street": "Falscher Weg 1", "large": "Falsch! " * 4000}),
        called("k2", {"city": "Grünwald-Nord"}),
        answered("k2", {"street": "Falscher Weg 2"}),
        claimed("c1", {"call_id": "k1"}, text="Mia lives in the wrong street."),
        remembered("u1", "Grünwald bei München"),
        {
            "kind": "pin",
            "pin_id": "p1",
            "participant_id": "mia",
            "pin_kind": "decision",
            "text": "Falsch hier.",
        },
        noted(0, city="Grünwald im Tal", name="Mia"),
        noted(1, name="Mia Li"),
    )
    await office.platform.recorded(forked("side"))
    await office.platform.recorded(noted(2, street="Weg"), branch="side")
    memories = await office.platform.assembled(by="agent")
    assert "Falscher Weg 1" in shown(memories)
    done = await put_right(
        office,
        {"event": {"call_id": "k1"}, "fields": {"arguments": {"city": "Tölz"}}},
        {"event": {"result_of": "k1"}, "fields": {"result": {"street": "Rechter Weg 1"}}},
        {"event": {"result_of": "k2"}, "fields": {"result": {"street": "Rechter Weg 2"}}},
        wrong("Mia lives in the right street.", claim_id="c1"),
        wrong("Bad Tölz", memory_id="u1"),
        wrong("Recht hier.", pin_id="p1"),
        {"event": {"conversation_id": "trip", "seq": 13}, "fields": {"fields": {"city": "Tölz"}}},
    )
    assert done["state"] == "fulfilled", done
    text = await texts_of(rows, office.platform.tenant_id)
    for old in ("Falsch", "Grünwald-Süd", "wrong street", "bei München", "im Tal"):
        assert old not in text, old
    assert '"Bad Tölz"' in text and "the right street" in text
    for branch in ("main", "side"):
        context = await office.platform.assembled(by="agent", branch=branch)
        assert "Rechter Weg 1" in shown(context) and "Rechter Weg 2" in shown(context)
        assert "Recht hier." in shown(context)
        assert "city: Tölz" in shown(context) and "Mia Li" in shown(context), shown(context)


async def test_numbers_follow_what_is_said_now(office: Office, rows: Rows) -> None:
    await told(office)
    await put_right(office, wrong("No.", message_id="m1"))
    found = await rows(
        "MATCH (m:Message {tenant_id: $tenant_id}) RETURN m.message_id AS id, m.tokens AS tokens",
        tenant_id=office.platform.tenant_id,
    )
    tokens = {row["id"]: row["tokens"] for row in found}
    assert 0 < tokens["m1"] <= tokens["m2"]


async def test_what_is_wrong_again_is_put_right_again(office: Office, rows: Rows) -> None:
    made = await told(office)
    await put_right(office, wrong(NEW, message_id="m1"))
    second = "I live in Prien am Chiemsee."
    done = await put_right(office, wrong(second, uid=made["events"][3]["uid"]), request_id="again")
    assert done["state"] == "fulfilled", done
    text = await texts_of(rows, office.platform.tenant_id)
    assert NEW not in text and OLD not in text and second in text
    left = await office.first.send("GET", "/v1/privacy-requests/right/corrections")
    assert left.json() == {"corrections": []}, "the first one is wrong now, too"


async def test_an_erasure_takes_what_was_put_right(office: Office, rows: Rows) -> None:
    await told(office, subject_ids=["u-mia", "u-ben"])
    await put_right(office, wrong(NEW, message_id="m1"))
    done = await office.erased("u-mia")
    assert done["state"] == "fulfilled", done
    assert "Tölz" not in await texts_of(rows, office.platform.tenant_id)
    left = await office.first.send("GET", "/v1/privacy-requests/right/corrections")
    assert left.json() == {"corrections": []}


async def test_a_request_is_the_same_once_and_can_be_taken_back(office: Office, rows: Rows) -> None:
    await told(office)
    one = wrong(NEW, message_id="m1")
    first = await office.asked("right", "u-mia", kind="rectification", corrections=[one])
    assert await office.asked("right", "u-mia", kind="rectification", corrections=[one]) == first
    other = [wrong("Otherwise.", message_id="m1")]
    body = {"request_id": "right", "request_kind": "rectification", "user_id": "u-mia", "corrections": other}
    refused = await office.first.send("POST", "/v1/privacy-requests", body)
    assert (refused.status_code, refused.json()["code"]) == (409, "id_taken")
    seen = (await office.second.send("GET", "/v1/privacy-requests/right/corrections")).json()
    assert [row["changes"] for row in seen["corrections"]] == [{"text": NEW}]
    assert NEW not in await texts_of(rows, office.platform.tenant_id), "it is kept sealed, outside the graph"
    back = await office.first.send("POST", "/v1/privacy-requests/right/cancel")
    assert back.json()["state"] == "revoked"
    seen = (await office.second.send("GET", "/v1/privacy-requests/right/corrections")).json()
    assert seen == {"corrections": []}
    assert OLD in await texts_of(rows, office.platform.tenant_id)


@pytest.mark.parametrize(
    ("correction", "location"),
    [
        (wrong("x", message_id="nobody's"), "corrections[0].event"),
        (wrong("x", message_id="b1"), "corrections[0].event"),
        (wrong("x", conversation_id="trip", seq=1), "corrections[0].event"),
        ({"event": {"message_id": "m1"}, "fields": {"role": "system"}}, "corrections[0]"),
        ({"event": {"message_id": "m1"}, "fields": {"text": 7}}, "corrections[0]"),
    ],
)
async def test_what_is_no_correction_of_the_persons_is_refused(
    office: Office, correction: Json, location: str
) -> None:
    await told(office)
    await office.platform.recorded(
        opened(user_id="u-ben"), human("ben"), agent(), asked("b1", "Ben alone.", "ben"), at="of-ben"
    )
    assert await refused(office, "rectification", correction) == location


async def test_corrections_go_with_a_rectification_alone(office: Office) -> None:
    await told(office)
    for kind, corrections in (("rectification", []), ("erasure", [wrong(NEW, message_id="m1")])):
        assert await refused(office, kind, *corrections) == "corrections"


async def test_a_graph_that_moved_is_previewed_again(office: Office) -> None:
    await told(office)
    await office.asked("right", "u-mia", kind="rectification", corrections=[wrong(NEW, message_id="m1")])
    plan = await office.previewed("right")
    await office.platform.recorded(asked("m3", "More."), replied("m4", "Yes."), asked("m5", "Good."))
    await office.platform.compacted("c1")
    back = await office.approved("right", plan["plan_digest"])
    assert (back["state"], back["stage"]) == ("open", "received")


async def test_an_older_copy_is_put_right_again(office: Office, graph: Graph, rows: Rows) -> None:
    made = await told(office)
    uid, tenant_id = made["events"][3]["uid"], office.platform.tenant_id
    kept = await rows(BEFORE, uid=uid)
    done = await put_right(office, wrong(NEW, message_id="m1"))
    await graph.write(partial(_put_back, uid=uid, old=OLD, **kept[0]))
    assert OLD in await texts_of(rows, tenant_id)
    entries = office.custody.ledger.read(trusted_keys(office.custody.keys_folder))
    begun = next(one for one in entries if one.request_uid == done["uid"])
    again = office.privacy.replay
    await again._again(begun, PrivacyRequestKind.RECTIFICATION, again.rectify)
    text = await texts_of(rows, tenant_id)
    assert OLD not in text and NEW in text
    assert (await office.read("right"))["state"] == "fulfilled"
    assert office.custody.ledger.read(trusted_keys(office.custody.keys_folder)) == entries


BEFORE = """
MATCH (e:Event {uid: $uid})-[:HAS_PAYLOAD]->(p:Payload)
MATCH (b:Branch {branch_ref: e.branch_ref})
RETURN properties(p) AS payload, b.head AS head, b.head_hash AS head_hash
"""
PUT_BACK = """
MATCH (r:Event)-[:REDACTS]->(e:Event {uid: $uid})
MATCH (r)-[:HAS_PAYLOAD]->(new:Payload)
MATCH (b:Branch {branch_ref: e.branch_ref})
MATCH (m:Message {branch_ref: e.branch_ref, seq: e.seq})
MATCH (i:IdempotencyRecord {branch_ref: e.branch_ref})
WHERE i.answer CONTAINS r.uid
REMOVE e.erased_by
CREATE (e)-[:HAS_PAYLOAD]->(p:Payload)
SET p = $payload, b.head = $head, b.head_hash = $head_hash, m.text = $old
DETACH DELETE r, new, i
"""


async def _put_back(tx: Transaction, **parameters: Any) -> None:
    """What an older copy of the database has."""
    await (await tx.run(PUT_BACK, **parameters)).consume()


async def test_a_restricted_person_stays_so(office: Office) -> None:
    await told(office)
    await office.asked("hide", "u-mia", kind="restriction")
    done = await put_right(office, wrong(NEW, message_id="m1"))
    assert done["state"] == "fulfilled"
    path = "/v1/branches/main/transcript?conversation_id=trip&participant_id=agent"
    assert NEW not in (await office.platform.send("GET", path)).text


def noted(version: int, **fields: str) -> Json:
    return {
        "kind": "working_memory",
        "participant_id": "agent",
        "expected_version": version,
        "fields": fields,
    }


async def read_event(office: Office, uid: str, by: str = "agent") -> Json:
    return await office.platform.read(f"/v1/events/{uid}", participant_id=by)


async def refused(office: Office, kind: str, *corrections: Json) -> str:
    """Where a request is wrong."""
    body = {"request_id": "r", "request_kind": kind, "user_id": "u-mia", "corrections": corrections}
    answer = await office.first.send("POST", "/v1/privacy-requests", body)
    assert answer.status_code == 422, answer.text
    return str(answer.json()["errors"][0]["location"])


async def test_whoever_was_given_the_old_words_is_told(office: Office) -> None:
    await told(office)
    await office.platform.recorded(ran("run-1", provider="openai"))
    await put_right(office, wrong(NEW, message_id="m1"))
    listed = (await office.first.send("GET", "/v1/privacy-notices")).json()
    assert [(one["recipient"], one["request_id"]) for one in listed["notices"]] == [("openai", "right")]
