"""A receipt is checked offline: it says what was done, and any change to it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_logs import AT, KEYS, LATER, REQUEST, SIGNER, SUBJECT, TENANT, uid
from typer.testing import CliRunner

from service.cli import main
from service.log.ledger import Ledger
from service.log.receipts import Receipt, ReceiptInvalid, hold_against, receipt_sha256
from service.log.tree_heads import Signer
from service.model.chain import canonical
from service.model.privacy import Destruction

DIGEST = "0c" * 32


def made(**fields: Any) -> Receipt:
    usual: dict[str, Any] = {
        "request_uid": REQUEST,
        "tenant_id": TENANT,
        "kind": "erasure",
        "subject_uids": [SUBJECT],
        "plan_digest": DIGEST,
        "begun_at": AT,
        "ended_at": LATER,
        "nodes": {"Message": 4, "Payload": 7},
        "edges": {"HAS_PAYLOAD": 7},
        "stores": {"blobs": {"number": 2, "size_bytes": 70_000}},
        "redacted": 1,
        "shared_before": DIGEST,
        "shared_after": DIGEST,
        "scan": {"graph_values": 40, "blobs": 3, "file_bytes": 900, "needles": 9, "hits": 0},
        "windows": [{"store": "neo4j files", "how_to_end": "runtime-graph db rebuild"}],
        "ledger_seq": 1,
    }
    return Receipt.model_validate(usual | fields)


def test_a_signed_receipt_is_read_again() -> None:
    text = made().signed(SIGNER)
    receipt = Receipt.verified(text + "\n", KEYS)
    assert receipt.model_copy(update={"key_id": "", "signature": ""}) == made()
    assert receipt.signed(SIGNER) == text


def test_every_changed_character_is_told() -> None:
    text = made().signed(SIGNER)
    for at, letter in enumerate(text):
        with pytest.raises(ReceiptInvalid):
            Receipt.verified(text[:at] + chr(ord(letter) ^ 1) + text[at + 1 :], KEYS)


def test_what_is_wrong_is_said() -> None:
    row = json.loads(made().signed(SIGNER))
    cases = {
        "not JSON": "Good day",
        "not a receipt": "[]",
        "format 1": canonical(row | {"format": 2}),
        "fields": canonical(row | {"note": "x"}),
        "altered": canonical(row | {"redacted": 0}),
        "among the trusted": made().signed(Signer.of(bytes(32))),
    }
    for said, text in cases.items():
        with pytest.raises(ReceiptInvalid, match=said):
            Receipt.verified(text, KEYS)
    spaced = json.dumps(row)
    with pytest.raises(ReceiptInvalid, match="altered"):
        Receipt.verified(spaced, KEYS)
    with pytest.raises(ReceiptInvalid, match="fields"):
        Receipt.verified(canonical(row | {"scan": row["scan"] | {"hits": 1}}), KEYS)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """One in which the receipt's erasure was begun."""
    found = Ledger(tmp_path / "ledger.jsonl")
    found.begin(
        SIGNER,
        tenant_id=TENANT,
        request_uid=REQUEST,
        what=Destruction.ERASURE,
        subject_uids=[SUBJECT],
        plan_digest=DIGEST,
        at=AT,
    )
    return found


def end(ledger: Ledger, text: str) -> None:
    sha256 = receipt_sha256(text)
    ledger.end(SIGNER, request_uid=REQUEST, counts={"events": 7}, receipt_sha256=sha256, at=LATER)


def test_the_ledger_has_one_receipt_of_an_erasure(ledger: Ledger) -> None:
    receipt, other = made(), made(redacted=2)
    text = receipt.signed(SIGNER)
    with pytest.raises(ReceiptInvalid, match="has ended"):
        hold_against(receipt, text, ledger.read(KEYS))
    end(ledger, text)
    hold_against(receipt, text, ledger.read(KEYS))
    with pytest.raises(ReceiptInvalid, match="another receipt"):
        hold_against(other, other.signed(SIGNER), ledger.read(KEYS))
    for change in (
        {"subject_uids": [uid(5)]},
        {"tenant_id": uid(6)},
        {"ledger_seq": 2},
        {"kind": "retention"},
    ):
        with pytest.raises(ReceiptInvalid, match="something else"):
            hold_against(made(**change), text, ledger.read(KEYS))
    with pytest.raises(ReceiptInvalid, match="begun"):
        hold_against(made(request_uid=uid(7)), text, ledger.read(KEYS))


def test_the_command_says_in_plain_words_what_a_receipt_says(ledger: Ledger, tmp_path: Path) -> None:
    text = made().signed(SIGNER)
    end(ledger, text)
    file, keys = tmp_path / "receipt.json", tmp_path / "public.pem"
    file.write_text(text + "\n")
    keys.write_text(SIGNER.public_pem())
    options = ["--public-key", str(keys)]
    ended = CliRunner().invoke(main, ["receipt", "verify", str(file), *options, "--ledger", str(ledger.path)])
    assert ended.exit_code == 0, ended.output
    for said in (
        f"erasure {REQUEST} of tenant {TENANT}",
        "destroyed: Message 4, Payload 7; edges: HAS_PAYLOAD 7",
        "in blobs: 2 destroyed, 70000 bytes",
        "what is shared with others is as it was",
        "bytes may still lie in neo4j files, ended by runtime-graph db rebuild",
        "The signature holds, and the ledger has it.",
    ):
        assert said in ended.output
    assert CliRunner().invoke(main, ["receipt", "verify", str(file), *options]).exit_code == 0
    file.write_text(text.replace('"redacted":1', '"redacted":0'))
    ended = CliRunner().invoke(main, ["receipt", "verify", str(file), *options])
    assert (ended.exit_code, "altered" in ended.output) == (1, True)
    file.write_text(made(redacted=5).signed(SIGNER))
    ended = CliRunner().invoke(main, ["receipt", "verify", str(file), *options, "--ledger", str(ledger.path)])
    assert (ended.exit_code, "another receipt" in ended.output) == (1, True)
    ended = CliRunner().invoke(
        main, ["receipt", "verify", str(file), *options, "--ledger", str(tmp_path / "no")]
    )
    assert (ended.exit_code, "cannot be read" in ended.output) == (1, True)
