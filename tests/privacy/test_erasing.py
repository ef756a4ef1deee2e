"""A person erased over HTTP: nothing is left, nobody else is touched, and the receipt says what was done."""

from __future__ import annotations

from lives import Canaries, live, texts_of
from officers import Office
from served import Rows

from service.log.receipts import Receipt
from service.usecases.manage_signing_key import trusted_keys


async def test_an_erased_person_is_nowhere_and_the_receipt_is_what_the_preview_said(
    office: Office, rows: Rows
) -> None:
    new = Canaries()
    await live(office.platform, new)
    before = await texts_of(rows, office.platform.tenant_id)
    hidden = ("blob", "large")
    assert [one for one in new.all if one not in before and not any(h in one for h in hidden)] == []
    mia = next(one for one in new.all if "-user-" in one)
    done = await office.erased(mia)
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    after = await texts_of(rows, office.platform.tenant_id)
    assert [one for one in new.all if one in after] == []
    assert "Ben asks for a train." in after and "ICE 7" in after
    plan, receipt = done["plan"], done["receipt"]
    assert receipt["nodes"] == plan["counts"]["nodes"]
    assert receipt["edges"] == plan["counts"]["edges"]
    assert (receipt["redacted"], receipt["derived"]) == (plan["redacted"], plan["derived"])
    text = Receipt.model_validate(receipt)
    assert text.scan.needles > 10
    assert trusted_keys(office.custody.keys_folder)
