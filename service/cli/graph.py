"""The database for commands that work on it directly: the one that runs, or one started for the command."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from service.cli.console import EXIT_FAILED, clean_end, jar_progress, problems
from service.embedded import Database, Home, open_database
from service.errors import RuntimeGraphError
from service.graph.driver import Graph
from service.graph.inspection import all_tenants
from service.settings import Settings

Result = TypeVar("Result")


def with_graph(settings: Settings, work: Callable[[Graph], Awaitable[Result]]) -> Result:
    """Run `work` on the database of the settings; a problem of ours is one line and exit code 1."""

    async def run(database: Database) -> Result:
        async with Graph(database.uri, database.user, database.password, database.name) as graph:
            return await work(graph)

    with clean_end(), _database(settings) as database:
        try:
            return asyncio.run(run(database))
        except RuntimeGraphError as error:
            problems.print(error.detail)
            raise SystemExit(EXIT_FAILED) from None


async def chosen_tenants(graph: Graph, name: str | None) -> dict[str, str]:
    """Names by tenant_id: of the tenant that is named, or of all; says where there is none of it."""
    tenants = await all_tenants(graph)
    chosen = {key: one for key, one in tenants.items() if name in (None, one)}
    if name is not None and not chosen:
        problems.print("There is no tenant of that name.")
    return chosen


@contextmanager
def _database(settings: Settings) -> Iterator[Database]:
    home = Home(settings.neo4j_home)
    running = None if settings.neo4j_uri else home.read_address()
    if running is not None:
        yield Database(running.uri, "neo4j", home.password(), "neo4j", running.browser_url)
        return
    with jar_progress() as progress, open_database(settings, progress) as database:
        yield database
