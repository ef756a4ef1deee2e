"""Migrations reach the desired schema, once, and refuse a database or files that contradict them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from connecting import connected

from service.clock import FixedClock
from service.embedded import Database, EmbeddedNeo4j
from service.errors import Unavailable
from service.graph import migrations
from service.graph.driver import Graph, Transaction, Work
from service.graph.migrations import (
    Applied,
    Migration,
    MigrationRefused,
    actual_schema,
    migrate,
    migration_files,
    pending,
    read_applied,
)
from service.graph.schema import declared_schema, statements
from service.settings import Settings

PROCESSES = 4
NOW = datetime(2026, 3, 1, tzinfo=UTC)
CLOCK = FixedClock(NOW)
HELD = """
CREATE (:MigrationLock {name: 'schema', owner: 'x', expires_at: datetime() + duration({minutes: 9})})
"""
EXPIRED = "MATCH (l:MigrationLock) SET l.expires_at = datetime() - duration({seconds: 1})"
KEYWORDS = {True: "CONSTRAINT", False: "INDEX"}
MIGRATE = """
import asyncio, os
from service.clock import SystemClock
from service.graph.driver import Graph
from service.graph.migrations import migrate

async def main():
    async with Graph(os.environ["URI"], os.environ["USER"], os.environ["PASSWORD"]) as graph:
        print([migration.version for migration in await migrate(graph, SystemClock())])

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database of these tests alone: they need one that is empty."""
    home = tmp_path_factory.mktemp("migrations") / "neo4j"
    with EmbeddedNeo4j(home, cache=Settings().jar_cache, heap_max_mb=512) as server:
        yield Database(server.uri, server.username, server.password, server.database)


@pytest.fixture
async def empty(own_server: Database) -> AsyncIterator[Graph]:
    """A connection to it, without nodes, constraints and indexes."""
    async with connected(own_server) as graph:
        items = await actual_schema(graph)
        await graph.write(runs(*(f"DROP {KEYWORDS[item.kind == 'unique']} {item.name}" for item in items)))
        await graph.write(runs("MATCH (n) DETACH DELETE n"))
        yield graph


async def test_migrations_reach_exactly_the_desired_schema(empty: Graph) -> None:
    assert await actual_schema(empty) == frozenset()
    applied = await migrate(empty, CLOCK)
    assert applied == migration_files()
    assert await actual_schema(empty) == declared_schema()
    assert await read_applied(empty) == [
        Applied(one.version, one.name, one.checksum, NOW) for one in migration_files()
    ]


async def test_an_index_too_many_or_too_few_is_a_difference(empty: Graph) -> None:
    await migrate(empty, CLOCK)
    await empty.write(runs("DROP INDEX message_place"))
    await empty.write(runs("CREATE INDEX message_words FOR (n:Message) ON (n.text)"))
    await empty.write(runs("CREATE FULLTEXT INDEX said FOR (n:Message) ON EACH [n.text]"))
    odd = {item.name for item in await actual_schema(empty) ^ declared_schema()}
    assert odd == {"message_place", "message_words", "said"}


async def test_a_second_migration_applies_nothing(empty: Graph) -> None:
    await migrate(empty, CLOCK)
    assert await migrate(empty, CLOCK) == []


async def test_four_processes_that_start_together_migrate_once(empty: Graph, own_server: Database) -> None:
    environment = {"URI": own_server.uri, "USER": own_server.user, "PASSWORD": own_server.password}
    command = (sys.executable, "-c", MIGRATE)
    started = [
        await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE)
        for _ in range(PROCESSES)
    ]
    said = [(await one.communicate())[0].decode().strip() for one in started]
    versions = [migration.version for migration in migration_files()]
    assert sorted(said) == [str(versions)] + ["[]"] * (PROCESSES - 1)
    assert await actual_schema(empty) == declared_schema()
    assert len(await read_applied(empty)) == len(migration_files())


async def test_a_process_that_died_with_the_lock_is_waited_out(empty: Graph) -> None:
    await empty.write(runs(HELD))
    expiring: list[asyncio.Future[object]] = []

    def progress(line: str) -> None:
        if "waiting" in line:
            expiring.append(asyncio.ensure_future(empty.write(runs(EXPIRED))))

    assert await migrate(empty, CLOCK, progress=progress) == migration_files()
    assert len(expiring) == 1, "it had to wait, and said so once"
    await expiring[0]


async def test_waiting_for_the_lock_has_an_end(empty: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "WAIT_S", 0.5)
    await empty.write(runs(HELD))
    with pytest.raises(Unavailable, match="held the migration lock"):
        await migrate(empty, CLOCK)
    assert await read_applied(empty) == []


async def test_the_lock_is_free_again_after_a_migration_that_failed(empty: Graph) -> None:
    broken = Migration(1, "broken", "CREATE INDEX oops FOR (n:Message) ON (n.text, n.text)")
    with pytest.raises(Exception, match="refused a statement"):
        await migrate(empty, CLOCK, files=[broken])
    assert await migrate(empty, CLOCK) == migration_files()


async def test_a_migration_that_changed_after_it_was_applied_is_refused(empty: Graph) -> None:
    await migrate(empty, CLOCK)
    first, *rest = migration_files()
    changed = Migration(first.version, first.name, first.text + "\n// one more word")
    with pytest.raises(MigrationRefused, match="was changed after it had been applied"):
        await migrate(empty, CLOCK, files=[changed, *rest])


async def test_a_database_of_a_newer_version_is_refused(empty: Graph) -> None:
    newer = [
        *migration_files(),
        Migration(len(migration_files()) + 1, "more", "MATCH (n:Tenant) SET n.name = n.name"),
    ]
    await migrate(empty, CLOCK, files=newer)
    with pytest.raises(MigrationRefused, match="this version does not know"):
        await migrate(empty, CLOCK)


def test_files_are_numbered_without_a_gap(tmp_path: Path) -> None:
    for name in ("V0001__one.cypher", "V0003__three.cypher"):
        (tmp_path / name).write_text("RETURN 1")
    with pytest.raises(MigrationRefused, match="not numbered"):
        migration_files(tmp_path)
    (tmp_path / "V2__two.cypher").write_text("RETURN 1")
    with pytest.raises(MigrationRefused, match="V2__two"):
        migration_files(tmp_path)


def test_what_is_pending_comes_in_order() -> None:
    files = [Migration(n, f"m{n}", str(n)) for n in (1, 2, 3)]
    already = [Applied(1, "m1", files[0].checksum, NOW)]
    assert [one.version for one in pending(files, already)] == [2, 3]


def test_every_schema_command_may_be_run_again() -> None:
    """A process can end between a migration and its row."""
    commands = [text for one in migration_files() for text in statements(one.text)]
    assert [text for text in commands if text.startswith("CREATE") and "IF NOT EXISTS" not in text] == []


def runs(*statements: str) -> Work[None]:
    """A unit of work of these statements."""

    async def work(tx: Transaction) -> None:
        for statement in statements:
            await (await tx.run(statement)).consume()

    return work
