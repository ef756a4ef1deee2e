"""Bring the database to the schema of this version, once, however many processes start together.

A migration is a file such as `schema/migrations/V0001__initial.cypher`: schema commands or changes of data,
not both (Neo4j keeps them apart), run in one transaction. The row follows in a second one, so a file
must be safe to run twice. What was applied is in the graph: `Migration` nodes with each file's checksum. A
file that changed after it was applied is refused, and so is a database that a newer version has migrated.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from service.clock import Clock
from service.errors import RuntimeGraphError, Unavailable
from service.graph.driver import Graph, Transaction, Work
from service.graph.query import Row, query
from service.graph.schema import SCHEMA_FOLDER, SchemaItem, statements
from service.ids import new_uid

MIGRATIONS_FOLDER: Final = SCHEMA_FOLDER / "migrations"
LOCK_NAME: Final = "schema"
LEASE_S: Final = 60
UNIT_TIMEOUT_S: Final = 50.0
"""Below the lease: no transaction of a holder runs on after its lease has ended."""
WAIT_S: Final = 90.0
"""Above the lease: who waits for a holder that died gets the lock."""
POLL_S: Final = 0.25

create_lock_constraint = query("migration/create_lock_constraint")
take_lock = query("migration/take_lock")
release_lock = query("migration/release_lock")
list_applied = query("migration/list_applied")
record_applied = query("migration/record_applied")
list_constraints = query("schema/list_constraints")
list_indexes = query("schema/list_indexes")
await_indexes = query("schema/await_indexes")

_FILE = re.compile(r"V(\d{4})__([a-z0-9_]+)\.cypher")


class MigrationRefused(RuntimeGraphError):
    """The files and what was applied contradict each other; nothing was changed."""

    code = "migration_refused"
    status = 503
    title = "The database's schema and this version do not belong together"


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration file."""

    version: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Applied:
    """One applied migration."""

    version: int
    name: str
    checksum: str
    applied_at: datetime


def migration_files(folder: Path = MIGRATIONS_FOLDER) -> list[Migration]:
    """The migrations of this version, numbered from 1 without a gap; raises MigrationRefused otherwise."""
    found: list[Migration] = []
    for path in sorted(folder.glob("*.cypher")):
        named = _FILE.fullmatch(path.name)
        if named is None:
            raise MigrationRefused(f"{path.name} is not a name such as V0001__initial.cypher.")
        found.append(Migration(int(named[1]), named[2], path.read_text("utf-8")))
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise MigrationRefused("The migration files are not numbered 1, 2, 3 … without a gap or a repeat.")
    return found


def pending(files: Sequence[Migration], already: Sequence[Applied]) -> list[Migration]:
    """What is still to be applied; raises MigrationRefused where the files contradict what was applied."""
    by_version = {migration.version: migration for migration in files}
    for applied in already:
        migration = by_version.get(applied.version)
        if migration is None:
            raise MigrationRefused(
                f"The database has migration {applied.version}, which this version does not know. Start the "
                "newer version that applied it."
            )
        if migration.checksum != applied.checksum:
            raise MigrationRefused(
                f"Migration {applied.version} ({migration.name}) was changed after it had been applied. "
                "Restore its file, and put the change into a new migration."
            )
    done = {applied.version for applied in already}
    return [migration for migration in files if migration.version not in done]


async def read_applied(graph: Graph) -> list[Applied]:
    """What was applied, oldest first."""

    async def work(tx: Transaction) -> list[Applied]:
        return [Applied(**row) for row in await list_applied.many(tx)]

    return await graph.read(work)


async def migrate(
    graph: Graph,
    clock: Clock,
    *,
    files: Sequence[Migration] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Migration]:
    """Apply what is pending and answer it; an up-to-date database costs one read.

    Raises MigrationRefused, or Unavailable when another process holds the lock for longer than WAIT_S.
    """
    files = migration_files() if files is None else files
    if not pending(files, await read_applied(graph)):
        return []
    owner = new_uid()
    await _bounded(graph, lambda tx: create_lock_constraint.none(tx))
    await _wait_for_lock(graph, owner, progress)
    try:
        missing = pending(files, await read_applied(graph))
        for migration in missing:
            progress(f"applying migration {migration.version} ({migration.name})")
            await _apply(graph, migration, owner, clock)
        return missing
    finally:
        await _bounded(graph, lambda tx: release_lock.none(tx, name=LOCK_NAME, owner=owner))


async def actual_schema(graph: Graph) -> frozenset[SchemaItem]:
    """The constraints and indexes that the database holds, to compare with `declared_schema()`.

    A type that is not the house's own is an item too, under its database name, so that it shows up as odd.
    """

    async def work(tx: Transaction) -> frozenset[SchemaItem]:
        constraints = [
            _item(row, "unique" if row["type"].endswith("UNIQUENESS") else row["type"])
            for row in await list_constraints.many(tx)
        ]
        indexes = [_item(row, row["type"].lower()) for row in await list_indexes.many(tx)]
        return frozenset(constraints + indexes)

    return await graph.read(work)


async def _apply(graph: Graph, migration: Migration, owner: str, clock: Clock) -> None:
    """Run one migration and write it into the list of applied ones, under a lease renewed for it."""
    if not await _try_lock(graph, owner):
        raise Unavailable("The migration lock was lost to another process.")
    await _bounded(graph, partial(_run, statements(migration.text)))
    await graph.read(lambda tx: await_indexes.none(tx, timeout_s=int(UNIT_TIMEOUT_S)))
    applied = Applied(migration.version, migration.name, migration.checksum, clock())
    await _bounded(graph, lambda tx: record_applied.none(tx, **asdict(applied)))


async def _bounded(graph: Graph, work: Work[None]) -> None:
    await graph.write(work, timeout_s=UNIT_TIMEOUT_S)


async def _run(statements: Sequence[str], tx: Transaction) -> None:
    for statement in statements:
        result = await tx.run(statement)
        await result.consume()


async def _wait_for_lock(graph: Graph, owner: str, progress: Callable[[str], None]) -> None:
    if await _try_lock(graph, owner):
        return
    progress("another process is migrating; waiting for it")
    for _ in range(round(WAIT_S / POLL_S)):
        await asyncio.sleep(POLL_S)
        if await _try_lock(graph, owner):
            return
    raise Unavailable(f"Another process has held the migration lock for {WAIT_S:.0f} s.")


async def _try_lock(graph: Graph, owner: str) -> bool:
    row, _ = await graph.write(lambda tx: take_lock.one(tx, name=LOCK_NAME, owner=owner, lease_s=LEASE_S))
    return row is not None


def _item(row: Row, kind: str) -> SchemaItem:
    return SchemaItem(row["name"], kind, ":".join(row["labels"] or ()), tuple(row["properties"] or ()))
