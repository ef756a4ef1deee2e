"""A connection to a test's database, directly or by another way."""

from __future__ import annotations

from service.embedded import Database
from service.graph.driver import Graph


def connected(database: Database, uri: str | None = None) -> Graph:
    """A `Graph` to close or to use in `async with`."""
    return Graph(uri or database.uri, database.user, database.password, database.name)
