"""Secrets that are made once and kept in files which only their owner can read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Answer the file's bytes; make it first when it is absent (mode 0600, its folder 0700).

    Several processes may ask at once: one secret wins and all answer that one. A crash leaves no half a file.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        write_private(part, make())
        os.link(part, path)  # Unlike a rename, a link never replaces the winner's file.
    except FileExistsError:
        pass
    finally:
        part.unlink(missing_ok=True)
    return path.read_bytes()


def write_private(path: Path, content: bytes) -> None:
    """Make a new file that only its owner can read, from its first byte on; refuse an existing one."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
