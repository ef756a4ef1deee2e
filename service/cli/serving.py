"""`runtime-graph serve`, and what every command that serves shares: the service in the foreground."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from service.cli.console import EXIT_FAILED, clean_end, console, jar_progress, problems, read_settings
from service.embedded import Database, StartFailed, open_database
from service.main import ServiceNotStarted, serving
from service.settings import Settings
from service.telemetry import configure_logging

HostOption = Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")]
PortOption = Annotated[int | None, typer.Option(min=1, max=65535, show_default="8480")]


def register(main: typer.Typer) -> None:
    """Add the commands to the console script."""
    main.command()(serve)


def serve(host: HostOption = None, port: PortOption = None) -> None:
    """Run the service in the foreground until Ctrl-C.

    The database is the one at NEO4J_URI when that is set, else a Neo4j brought up in the data folder.
    Migrations are applied first. Tenants and keys are made with `runtime-graph keys`.
    """
    with running(host, port) as (_, url, database):
        show_addresses(url, database)
        console.print("Ctrl-C stops it.")
        wait(database)


@contextmanager
def running(host: str | None = None, port: int | None = None) -> Iterator[tuple[Settings, str, Database]]:
    """Database and service for as long as the block runs; Ctrl-C ends the block and is no error."""
    settings = read_settings(host=host, port=port)
    configure_logging(settings.log_level)
    with clean_end():
        try:
            with jar_progress() as progress:
                opened = open_database(settings, progress)
                database = opened.__enter__()
            try:
                with serving(settings, database) as url:
                    gc.freeze()  # What is loaded stays: a full collection walked it all each time, for 80 ms.
                    yield settings, url, database
            finally:
                console.print("Stopping …")
                opened.__exit__(None, None, None)
        except ServiceNotStarted as error:
            problems.print(f"Not started: {error}", style="red")
            raise SystemExit(EXIT_FAILED) from None
        except KeyboardInterrupt:
            console.print("Stopped.")


def wait(database: Database) -> None:
    """Until Ctrl-C, or until a database that was started for this ends by itself: then StartFailed."""
    if database.server is None:
        threading.Event().wait()
        return
    code = database.server.wait()
    raise StartFailed(f"it ended by itself with code {code}; its log is {database.server.home.log_file}")


def show_addresses(url: str, database: Database) -> None:
    """Where to go next."""
    console.print(f"service       {url}")
    console.print(f"API docs      {url}/docs")
    if database.browser_url:
        console.print(f"Neo4j Browser {database.browser_url}  (runtime-graph db login --show-password)")
