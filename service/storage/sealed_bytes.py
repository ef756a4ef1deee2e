"""Bytes sealed under a key: AES-256-GCM, bound to what they are.

    version (1 byte) · nonce (12 bytes, random) · ciphertext and tag

Without the key they are noise; with it they open only beside the same `associated` bytes, so that sealed
bytes that were moved, mixed up or changed open nowhere.
"""

from __future__ import annotations

import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.errors import Unavailable

KEY_BYTES: Final = 32
VERSION: Final = b"\x01"
NONCE_BYTES: Final = 12


class SealBroken(Unavailable):
    """Sealed bytes do not open: they are damaged, or the key or their place is another one."""

    title = "Sealed bytes cannot be opened"


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, plain: bytes, associated: bytes) -> bytes:
    """Seal bytes; `associated` says what they are and is needed to open them."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return VERSION + nonce + AESGCM(key).encrypt(nonce, plain, associated)


def unseal(key: bytes, sealed: bytes, associated: bytes) -> bytes:
    """The bytes that were sealed. Raises SealBroken."""
    nonce, ciphertext = sealed[1 : 1 + NONCE_BYTES], sealed[1 + NONCE_BYTES :]
    if not sealed.startswith(VERSION) or len(nonce) < NONCE_BYTES:
        raise SealBroken
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, associated)
    except InvalidTag:
        raise SealBroken from None
