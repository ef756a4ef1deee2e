"""What is wrong of a person is put right over HTTP: nothing says the old words, everything says the new ones."""

from __future__ import annotations

from typing import Any

from agent_platform import (
    OPENING,
    Json,
    asked,
    replied,
    shown,
)
from lives import texts_of
from officers import Office
from served import Rows

from service.log.ledger import EntryKind
from service.log.receipts import Receipt, hold_against
from service.model.chain import canonical
from service.model.privacy import Destruction
from service.usecases.manage_signing_key import trusted_keys

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


async def test_a_message_says_what_it_should_and_nothing_says_what_it_said(
    office: Office, rows: Rows
) -> None:
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
