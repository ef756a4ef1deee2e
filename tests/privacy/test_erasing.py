"""A person erased over HTTP: nothing is left, nobody else is touched, and the receipt says what was done."""

from __future__ import annotations

import pytest
from lives import Canaries, live, texts_of
from officers import Office
from served import Rows

from service.log.receipts import Receipt
from service.usecases.manage_signing_key import trusted_keys


async def test_an_erased_person_is_nowhere_and_the_receipt_is_what_the_preview_said(
    office: Office, rows: Rows, capfd: pytest.CaptureFixture[str]
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
    shown = await everything_shown(office)
    assert [one for one in new.all if one in shown] == []
    assert "Ben asks for a train." in shown
    logged = "".join(capfd.readouterr())
    assert "route=/v1/assemble" in logged, "the service's log is what was captured"
    assert [one for one in new.all if one in logged] == []
    plan, receipt = done["plan"], done["receipt"]
    assert receipt["nodes"] == plan["counts"]["nodes"]
    assert receipt["edges"] == plan["counts"]["edges"]
    assert (receipt["redacted"], receipt["derived"]) == (plan["redacted"], plan["derived"])
    text = Receipt.model_validate(receipt)
    assert text.scan.needles > 10
    assert trusted_keys(office.custody.keys_folder)


async def everything_shown(office: Office) -> str:
    """What the API shows of the conversations that are left, of what was learned, and of the request."""
    here = "?conversation_id=shared&participant_id=agent"
    branch = ("transcript", "working-memory", "pins")
    paths = [f"/v1/branches/main/{what}{here}" for what in branch]
    paths += ["/v1/learning-candidates", "/v1/knowledge-documents", "/v1/users/u-ben/memories", "/v1/costs"]
    paths += ["/v1/privacy-requests", "/v1/privacy-notices"]
    answers = [await office.platform.send("GET", path) for path in paths]
    assert [answer.url.path for answer in answers if answer.status_code != 200] == []
    made = await office.platform.assemble(by="agent", at="shared")
    assert made.status_code == 201, made.text
    replayed = await office.platform.send("POST", f"/v1/assemblies/{made.json()['assembly_id']}/replay")
    return "\n".join(answer.text for answer in (*answers, made, replayed))
