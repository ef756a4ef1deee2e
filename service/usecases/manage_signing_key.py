"""The key that signs tree heads: made once in the folder of secrets, rotated, and its public parts kept.

`log-signing.key` is the private key in use, 32 bytes. `log-public.pem` has the public keys of all that were
ever in use, newest last: with it every tree head can be checked.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from service.log.tree_heads import PublicKeys, Signer, read_public_keys
from service.private_files import read_or_make, write_private

SEED_BYTES: Final = 32
PRIVATE_NAME: Final = "log-signing.key"
PUBLIC_NAME: Final = "log-public.pem"


def load_signer(folder: Path) -> Signer:
    """The key in use; made when there is none, with its public part kept."""
    signer = Signer.of(read_or_make(folder / PRIVATE_NAME, _new_seed))
    _keep_public(folder, signer)
    return signer


def trusted_keys(folder: Path) -> PublicKeys:
    """Every public key that was ever in use; empty before the first."""
    try:
        return read_public_keys((folder / PUBLIC_NAME).read_text("ascii"))
    except FileNotFoundError:
        return {}


def public_pem(folder: Path) -> str:
    """The public keys as they are given to auditors; makes the key when there is none."""
    load_signer(folder)
    return (folder / PUBLIC_NAME).read_text("ascii")


def rotate_key(folder: Path) -> Signer:
    """Make a new key and let it sign from now on; the old private key is destroyed, its public part kept."""
    load_signer(folder)
    signer = Signer.of(seed := _new_seed())
    _keep_public(folder, signer)
    _replace(folder / PRIVATE_NAME, seed)
    return signer


def _keep_public(folder: Path, signer: Signer) -> None:
    if signer.key_id not in trusted_keys(folder):
        path = folder / PUBLIC_NAME
        known = path.read_text("ascii") if path.exists() else ""
        _replace(path, (known + signer.public_pem()).encode())


def _replace(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    write_private(part, content)
    part.replace(path)


def _new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)
