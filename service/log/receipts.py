"""Receipts: what an erasure did, as counts and pseudonyms, signed. Anybody can check one offline.

A receipt is one line of canonical JSON. The ledger has its SHA-256: there is one for a request.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Self

from cryptography.exceptions import InvalidSignature
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from service.log.ledger import EntryKind, LedgerEntry
from service.log.tree_heads import PublicKeys, Signer, exact_bytes
from service.model.chain import canonical
from service.model.privacy import Destruction

FORMAT: Final = 1
DOMAIN: Final = b"runtime-graph/receipt/1\n"
Count = Annotated[StrictInt, Field(ge=0)]
Counts = dict[StrictStr, Count]


class ReceiptInvalid(ValueError):
    """The text is no receipt that holds; the message says why, and not what is in it."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Store(_Part):
    """What was destroyed in one store beside the graph."""

    number: Count
    size_bytes: Count


class Scan(_Part):
    """What was searched for what had to be gone. Nothing was found, or there would be no receipt."""

    graph_values: Count = 0
    blobs: Count = 0
    file_bytes: Count = 0
    """Of the ledger and the file of tree heads."""
    needles: Count = 0
    hits: Literal[0] = 0


class Window(_Part):
    """A place where destroyed bytes may still lie, until something is done."""

    store: StrictStr
    how_to_end: StrictStr


class Receipt(_Part):
    """One receipt. Times are RFC 3339 UTC with microseconds, hashes lower-case hex."""

    format: Literal[1] = FORMAT
    request_uid: StrictStr
    tenant_id: StrictStr
    kind: Destruction
    subject_uids: tuple[StrictStr, ...]
    plan_digest: StrictStr | None
    begun_at: StrictStr
    ended_at: StrictStr
    nodes: Counts = Field(default_factory=dict)
    """By label."""
    edges: Counts = Field(default_factory=dict)
    """By type."""
    stores: dict[StrictStr, Store] = Field(default_factory=dict)
    redacted: Count = 0
    derived: Count = 0
    kept_for_review: Count = 0
    held: Count = 0
    shared_before: StrictStr | None = None
    shared_after: StrictStr | None = None
    """Digests of what the person shared with others, which an erasure leaves as it is."""
    scan: Scan = Scan()
    windows: tuple[Window, ...] = ()
    ledger_seq: Annotated[StrictInt, Field(ge=1)]
    """Of the begun entry."""
    key_id: StrictStr = ""
    signature: StrictStr = ""

    def signed(self, signer: Signer) -> str:
        """The receipt's text, naming this key and with its signature."""
        named = self.model_copy(update={"key_id": signer.key_id, "signature": ""})
        signature = signer.key.sign(named.signed_text()).hex()
        return canonical(named.model_copy(update={"signature": signature}).model_dump(mode="json"))

    def signed_text(self) -> bytes:
        """What is signed: all but the signature."""
        return DOMAIN + canonical(self.model_dump(mode="json", exclude={"signature"})).encode()

    @classmethod
    def verified(cls, text: str, keys: PublicKeys) -> Self:
        """The receipt that a text is, where one of the keys signed it. Raises ReceiptInvalid."""
        row = _row(text)
        if row.get("format") != FORMAT:
            raise ReceiptInvalid(f"it is not a receipt of format {FORMAT}")
        try:
            receipt = cls.model_validate(row)
        except ValidationError:
            raise ReceiptInvalid("it has not the fields of a receipt") from None
        key = keys.get(receipt.key_id)
        if key is None:
            raise ReceiptInvalid("it is signed with a key that is not among the trusted ones")
        try:
            key.verify(exact_bytes(receipt.signature), receipt.signed_text())
        except (InvalidSignature, ValueError):
            raise ReceiptInvalid("it was altered after it was signed") from None
        if canonical(receipt.model_dump(mode="json")) != text.strip():
            raise ReceiptInvalid("it was altered after it was signed")
        return receipt


def receipt_sha256(text: str) -> str:
    """The hash of a receipt's text, as the ledger has it."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def hold_against(receipt: Receipt, text: str, entries: Sequence[LedgerEntry]) -> None:
    """Hold a receipt against the ledger: it was begun and ended as the receipt says, and this is its receipt.
    Raises ReceiptInvalid."""
    own: Mapping[EntryKind, LedgerEntry] = {
        one.kind: one for one in entries if one.request_uid == receipt.request_uid
    }
    begun, ended = own.get(EntryKind.BEGUN), own.get(EntryKind.ENDED)
    if begun is None:
        raise ReceiptInvalid("the ledger does not say that its erasure was begun")
    said = (begun.ledger_seq, begun.tenant_id, begun.what, begun.subject_uids, begun.plan_digest)
    if said != (
        *(receipt.ledger_seq, receipt.tenant_id, receipt.kind),
        *(tuple(sorted(receipt.subject_uids)), receipt.plan_digest),
    ):
        raise ReceiptInvalid("the ledger says something else of its erasure")
    if ended is None:
        raise ReceiptInvalid("the ledger does not say that its erasure has ended")
    if ended.receipt_sha256 != receipt_sha256(text):
        raise ReceiptInvalid("the ledger has another receipt of its erasure")


def _row(text: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except ValueError:
        raise ReceiptInvalid("it is not JSON") from None
    if not isinstance(row, dict):
        raise ReceiptInvalid("it is not a receipt")
    return row
