"""Signed tree heads: what the service vouches for about a branch up to a seq, checkable with a public key
alone.

A head names the branch, its parent, the seq it was forked at, and over the branch's own events from there up
to `seq` the Merkle root and the newest hash. A tree has one leaf per own event of the branch; what a fork
inherits stands in the trees of its ancestors, and the chain of hashes ties them together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.log.merkle import EMPTY_ROOT, root_of_peaks
from service.model.chain import canonical

FORMAT = 1
DOMAIN = b"runtime-graph/tree-head/1\n"
KEY_ID_CHARS = 16
_TEXTS = ("tenant_id", "branch_uid", "root_hash", "head_hash", "at", "key_id", "signature")
PublicKeys = Mapping[str, Ed25519PublicKey]
"""Keys that are trusted, by key id."""
PEM_END = "-----END PUBLIC KEY-----"


@dataclass(frozen=True, slots=True)
class TreeHead:
    """A signed head. Hashes and the signature are lower-case hex; `at` is RFC 3339 UTC.

    All but `peaks` and `signature` is signed. The peaks make the root, and with them the tree can go on.
    """

    tenant_id: str
    branch_uid: str
    branch_ref: int
    parent_branch_uid: str | None
    base: int
    seq: int
    root_hash: str
    head_hash: str
    at: str
    peaks: tuple[str, ...]
    key_id: str = ""
    signature: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> TreeHead:
        """From a row or a line that has these fields. Raises KeyError or TypeError where it has not."""
        numbers = {name: row[name] for name in ("branch_ref", "base", "seq")}
        texts = {name: row[name] for name in _TEXTS}
        parent, peaks = row.get("parent_branch_uid"), tuple(row["peaks"])
        if not all(type(number) is int for number in numbers.values()):
            raise TypeError("a number field is no int")
        if not all(type(text) is str for text in (*texts.values(), *peaks, parent or "")):
            raise TypeError("a text field is no str")
        return cls(parent_branch_uid=parent, peaks=peaks, **numbers, **texts)

    @property
    def tree_size(self) -> int:
        """How many leaves the tree has: the branch's own events up to `seq`."""
        return self.seq - self.base

    def row(self) -> dict[str, Any]:
        """All fields, as they are stored and sent."""
        return {name: getattr(self, name) for name in self.__slots__} | {"peaks": list(self.peaks)}

    def signed_text(self) -> bytes:
        """What is signed."""
        signed = {name: getattr(self, name) for name in self.__slots__ if name not in ("peaks", "signature")}
        return DOMAIN + canonical({"format": FORMAT, **signed}).encode()

    def is_signed_by(self, keys: PublicKeys) -> bool:
        """Whether one of the keys, the one that it names, signed exactly this, and the peaks make the
        root."""
        key = keys.get(self.key_id)
        if key is None:
            return False
        try:
            peaks = [exact_bytes(peak) for peak in self.peaks]
            key.verify(exact_bytes(self.signature), self.signed_text())
        except (InvalidSignature, ValueError):
            return False
        root = root_of_peaks(peaks) if self.tree_size else EMPTY_ROOT
        return len(peaks) == self.tree_size.bit_count() and root.hex() == self.root_hash


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key with the id of its public one."""

    key: Ed25519PrivateKey
    key_id: str

    @classmethod
    def of(cls, seed: bytes) -> Signer:
        """From the 32 bytes that are kept."""
        key = Ed25519PrivateKey.from_private_bytes(seed)
        return cls(key, key_id(key.public_key()))

    def signed(self, head: TreeHead) -> TreeHead:
        """The head, naming this key and with its signature."""
        named = replace(head, key_id=self.key_id)
        return replace(named, signature=self.key.sign(named.signed_text()).hex())

    def public_pem(self) -> str:
        """The public key as PEM."""
        return pem_of(self.key.public_key())


def key_id(key: Ed25519PublicKey) -> str:
    """The beginning of the SHA-256 of the raw public key, in hex."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:KEY_ID_CHARS]


def pem_of(key: Ed25519PublicKey) -> str:
    """A public key as PEM."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_bytes(serialization.Encoding.PEM, form).decode()


def read_public_keys(text: str) -> dict[str, Ed25519PublicKey]:
    """The keys of a file with one PEM block after another. Raises ValueError where one is no Ed25519 key."""
    keys: dict[str, Ed25519PublicKey] = {}
    for block in text.split(PEM_END)[:-1]:
        key = serialization.load_pem_public_key((block + PEM_END).strip().encode())
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError("a public key is not of the kind Ed25519")
        keys[key_id(key)] = key
    if not keys:
        raise ValueError("no public key is in the file")
    return keys


def newest(heads: Iterable[TreeHead]) -> dict[str, TreeHead]:
    """The head with the highest seq of each branch, by the branch's uid."""
    found: dict[str, TreeHead] = {}
    for head in heads:
        if head.branch_uid not in found or found[head.branch_uid].seq < head.seq:
            found[head.branch_uid] = head
    return found


def exact_bytes(text: str) -> bytes:
    """The bytes of exactly lower-case hex; any other spelling of the same bytes is not what was signed."""
    raw = bytes.fromhex(text)
    if raw.hex() != text:
        raise ValueError("not lower-case hex")
    return raw
