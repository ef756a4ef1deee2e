"""Public keys from a file that an auditor trusts."""

from __future__ import annotations

from pathlib import Path

import typer

from service.log.tree_heads import PublicKeys, read_public_keys


def read_keys(path: Path) -> PublicKeys:
    """The Ed25519 public keys of a PEM file; without any it is a wrong option."""
    try:
        return read_public_keys(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise typer.BadParameter("there is no file of Ed25519 public keys in PEM") from None
