"""Put a rebuilt store in the place of the old one, so that a crash leaves one that is whole.

The new store is made in a home of its own below the old one. A marker says that it is whole; without it,
whatever lies there is not, and goes. From the marker on, every start of the database first finishes the swap.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from service.embedded.home import Home
from service.embedded.processes import stop_running

PARTS: Final = ("databases", "transactions")
"""What one database has below `data`; the system database with its users stays."""
GRACE_S: Final = 10.0
"""For a Java that still runs on a store that is dropped."""


def new_home(home: Home) -> Home:
    """Where the new store is made."""
    return Home(home.path / "rebuild")


def mark_whole(home: Home) -> None:
    """Say that the new store is whole and stopped: from now on it is the database."""
    marker = _marker(home)
    with marker.open("w", encoding="ascii") as file:
        file.write("the store below `rebuild` is whole\n")
        file.flush()
        os.fsync(file.fileno())
    _sync(marker.parent)


def settle(home: Home) -> bool:
    """Finish a swap that was begun, else drop a store that is not whole. Twice does no harm, nor a crash on
    the way. Only with the home locked and its database stopped. Answers whether the new store is in place."""
    made, marker = new_home(home), _marker(home)
    begun = marker.exists()
    if begun:
        for part in PARTS:
            _swap(
                home.path / "data" / part / "neo4j",
                made.path / "data" / part / "neo4j",
                made.path / "old" / part,
            )
        marker.unlink()
        _sync(marker.parent)
    if made.path.exists():
        pid = made.running_pid()
        if pid is not None:
            stop_running(pid, made.identity, GRACE_S)
        shutil.rmtree(made.path)
    return begun


def _swap(live: Path, new: Path, old: Path) -> None:
    if not new.exists():
        return  # This part was swapped before a crash.
    if live.exists():
        old.parent.mkdir(exist_ok=True)
        live.rename(old)
        _sync(old.parent)
    new.rename(live)
    _sync(live.parent)


def _marker(home: Home) -> Path:
    return home.path / "rebuilt"


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
