"""The database the service uses, chosen by one rule and held for as long as it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from service.embedded.copying import Copied
from service.embedded.home import Home
from service.embedded.jars import Progress
from service.embedded.rebuild import Rebuilt, rebuild
from service.embedded.server import EmbeddedNeo4j
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Database:
    """What a driver needs. `browser_url` is None where we do not know of one."""

    uri: str
    user: str
    password: str = field(repr=False)
    name: str
    browser_url: str | None = None
    server: EmbeddedNeo4j | None = None
    """The process that was started for this, or None when the database is somebody else's."""


@contextmanager
def open_database(settings: Settings, progress: Progress | None = None) -> Iterator[Database]:
    """The one at `NEO4J_URI` when it is set, else an embedded Neo4j that stops at the end of the block.

    `progress` hears of the jars while they are fetched. Raises what `EmbeddedNeo4j.start` raises; a database
    at `NEO4J_URI` is not contacted here.
    """
    if settings.neo4j_uri is not None and settings.neo4j_password is not None:
        password = settings.neo4j_password.get_secret_value()
        yield Database(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
        return
    with embedded_neo4j(settings, progress, keep_classes=True) as server:
        yield Database(
            server.uri, server.username, server.password, server.database, server.browser_url, server
        )


def embedded_neo4j(
    settings: Settings, progress: Progress | None = None, *, keep_classes: bool = False
) -> EmbeddedNeo4j:
    """The embedded Neo4j that the settings describe, not yet started. `keep_classes`: it will start again."""
    return EmbeddedNeo4j(
        settings.neo4j_home,
        cache=settings.jar_cache,
        bolt_port=settings.bolt_port,
        http_port=settings.http_port,
        heap_max_mb=settings.neo4j_heap_max_mb,
        keep_classes=keep_classes,
        start_timeout_ms=settings.database_start_timeout_ms,
        stop_timeout_ms=settings.database_stop_timeout_ms,
        repository_url=settings.maven_repository_url,
        progress=progress,
    )


def rebuild_database(settings: Settings, copied: Copied, progress: Progress | None = None) -> Rebuilt:
    """Write the embedded database that the settings describe anew, as `rebuild` says."""

    def described(home: Path, conf: Mapping[str, str]) -> EmbeddedNeo4j:
        return EmbeddedNeo4j(
            home,
            cache=settings.jar_cache,
            conf=conf,
            heap_max_mb=settings.neo4j_heap_max_mb,
            start_timeout_ms=settings.database_start_timeout_ms,
            stop_timeout_ms=settings.database_stop_timeout_ms,
            repository_url=settings.maven_repository_url,
            progress=progress,
        )

    return rebuild(Home(settings.neo4j_home), described, copied)
