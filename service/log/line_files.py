"""Files that only grow, one line of JSON each, written so that a killed writer leaves no line half done.

What stands after the last end of a line was never acknowledged: readers leave it out, the next writer cuts it
off.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE_MODE = 0o600


def whole_lines(path: Path) -> list[bytes]:
    """The lines without their ends, without one that was left half done; none where there is no file."""
    try:
        return path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def ends_half_done(path: Path) -> bool:
    """Whether a killed writer left half a line at the end."""
    return path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0


@contextmanager
def appending(path: Path) -> Iterator[BinaryIO]:
    """The file, for this writer alone among all processes, at the end of its last whole line.

    It is made when it is absent. When the block ends without an error, what was written is on the disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_MODE), "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(file.seek(_end_of_lines(file)))
        yield file
        file.flush()
        os.fsync(file.fileno())
        _sync_name(path)


def _end_of_lines(file: BinaryIO) -> int:
    """The byte after the last end of a line; looks at the whole file only where something is half done."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 1, 0))
    if file.read(1) in (b"\n", b""):
        return size
    file.seek(0)
    return file.read().rfind(b"\n") + 1


def _sync_name(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
