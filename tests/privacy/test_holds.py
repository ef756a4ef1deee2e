"""A legal hold: what an erasure would destroy is sealed, seen by officers alone, and destroyed at its end."""

from __future__ import annotations

from agent_platform import OPENING, asked
from lives import texts_of
from officers import Office
from served import Rows

CANARY = "Mia's evidence zqxjkvbw"
HOLD = {"hold_id": "h1", "user_id": "u-mia", "basis": "Section 17", "expires_at": "2099-01-01T00:00:00Z"}


async def test_what_is_held_outlives_the_erasure_sealed_and_ends_with_the_hold(
    office: Office, rows: Rows
) -> None:
    await office.platform.recorded(*OPENING, asked("m1", CANARY))
    made = await office.first.send("POST", "/v1/legal-holds", HOLD)
    assert made.status_code == 201, made.text
    assert (await office.first.send("POST", "/v1/legal-holds", HOLD)).json() == made.json()
    done = await office.erased("u-mia")
    assert (done["plan"]["holds"], done["receipt"]["held"]) == (1, 4)
    assert CANARY not in await texts_of(rows, office.platform.tenant_id)
    folder = office.custody.keys_folder / "blobs"
    assert not [path for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    kept = await office.first.send("GET", "/v1/legal-holds/h1/events")
    assert CANARY in kept.text
    ended = await office.first.send("POST", "/v1/legal-holds/h1/end")
    assert ended.status_code == 200, ended.text
    assert (await office.first.send("GET", "/v1/legal-holds/h1/events")).json() == {"events": []}
    assert (await office.first.send("POST", "/v1/legal-holds/h1/end")).status_code == 409
    entries = office.custody.ledger.path.read_text().splitlines()
    assert any('"hold_ended"' in line for line in entries[-2:])


async def test_a_hold_of_another_tenant_is_unknown(office: Office, stranger: Office) -> None:
    await office.platform.recorded(*OPENING)
    assert (await office.first.send("POST", "/v1/legal-holds", HOLD)).status_code == 201
    assert (await stranger.first.send("GET", "/v1/legal-holds")).json() == {"holds": []}
    assert (await stranger.first.send("POST", "/v1/legal-holds/h1/end")).status_code == 404
    assert (await stranger.first.send("POST", "/v1/legal-holds", HOLD)).status_code == 404, "no such user"
