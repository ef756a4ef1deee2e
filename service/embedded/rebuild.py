"""Write the embedded database anew, so that nothing of what was deleted remains in its files.

Deleted records keep their bytes in a store until the space is used again. Only what a query can read is
copied into an empty store; the old one is deleted whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from neo4j import Driver, GraphDatabase, NotificationMinimumSeverity

from service.embedded.copying import Copied, copy_graph, read_whole
from service.embedded.home import Home
from service.embedded.problems import EmbeddedNeo4jError
from service.embedded.server import EmbeddedNeo4j
from service.embedded.swap import mark_whole, new_home, settle

READ_ONLY: Final = {"server.databases.default_to_read_only": "true"}
PASSWORD: Final = "password"

Described = Callable[[Path, Mapping[str, str]], EmbeddedNeo4j]
"""A server on a folder with settings added to neo4j.conf, not started."""


class RebuildFailed(EmbeddedNeo4jError):
    """The copy is not what it was made from; the database is as it was."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What the new store holds, and the bytes of the old and the new one."""

    nodes: int
    relationships: int
    digest: str
    bytes_before: int
    bytes_after: int


def rebuild(home: Home, described: Described, copied: Copied) -> Rebuilt:
    """Copy the database of a home that is stopped, compare, and put the copy in its place.

    A crash at any time leaves the old database or the new one, whole; the next start finishes or drops what
    was begun. Needs room for a second database beside the first. Raises what a start raises (`HomeInUse`
    while the service runs), and RebuildFailed.
    """
    with described(home.path, {}):
        pass  # Recovers where it was killed, which a read-only database cannot.
    before = _size(home)
    with described(home.path, READ_ONLY) as old:
        made = new_home(home)
        made.path.mkdir(mode=0o700)
        shutil.copy2(home.path / PASSWORD, made.path / PASSWORD)
        with described(made.path, {}) as new, _connected(old) as source, _connected(new) as target:
            there = copy_graph(source, target, old.database, copied)
            here = read_whole(target, new.database)
        if here != there:
            raise RebuildFailed("the copy differs from the database, which is as it was")
        mark_whole(home)
    with home.locked():
        settle(home)
    counts = sum(here.relationships.values())
    return Rebuilt(here.node_count, counts, here.digest, before, _size(home))


def _connected(server: EmbeddedNeo4j) -> Driver:
    return GraphDatabase.driver(
        server.uri,
        auth=(server.username, server.password),
        notifications_min_severity=NotificationMinimumSeverity.OFF,
        telemetry_disabled=True,
    )


def _size(home: Home) -> int:
    return sum(path.stat().st_size for path in (home.path / "data").rglob("*") if path.is_file())
