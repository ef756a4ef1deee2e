"""`runtime-graph db`: the embedded Neo4j by itself, and how to log in to it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import (
    EXIT_FAILED,
    clean_end,
    console,
    copy_progress,
    jar_progress,
    problems,
    read_settings,
)
from service.embedded import Address, Home, StartFailed, embedded_neo4j, rebuild_database

app = typer.Typer(help="Start, look at and log in to the embedded Neo4j.", no_args_is_help=True)

HomeOption = Annotated[
    Path | None, typer.Option(help="Folder of the database.", show_default="neo4j in the data folder")
]
PortOption = Annotated[int | None, typer.Option(min=1, max=65535, show_default="the usual one, if free")]


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="db")


@app.command()
def start(home: HomeOption = None, bolt_port: PortOption = None, http_port: PortOption = None) -> None:
    """Run Neo4j in the foreground until Ctrl-C.

    The first start fetches Neo4j's jars (143 MB) into the cache. Data and password stay in the folder.
    """
    settings = read_settings(neo4j_folder=home, bolt_port=bolt_port, http_port=http_port)
    with clean_end(), ExitStack() as running:
        with jar_progress() as progress:
            server = running.enter_context(embedded_neo4j(settings, progress))
        try:
            _show_login(server.home, Address(server.uri, server.browser_url))
            console.print("Ctrl-C stops it.")
            code = server.wait()
        except KeyboardInterrupt:
            console.print("Stopping …")
            return
        raise StartFailed(f"it ended by itself with code {code}; its log is {server.home.log_file}")


@app.command()
def status(home: HomeOption = None) -> None:
    """Say whether Neo4j runs; exit code 0 when it is ready, 1 when it is not."""
    place = _home(home)
    address = place.read_address()
    if address is None:
        starting = place.running_pid() is not None
        console.print(f"{'starting' if starting else 'stopped'}, in {place.path}")
        raise typer.Exit(EXIT_FAILED)
    console.print(f"ready at {address.uri}, process {place.running_pid()}, in {place.path}")


@app.command()
def login(
    home: HomeOption = None,
    show_password: Annotated[bool, typer.Option("--show-password", help="Print the password too.")] = False,
) -> None:
    """Say how to log in to Neo4j Browser and with drivers, while Neo4j runs."""
    place = _home(home)
    address = place.read_address()
    if address is None:
        problems.print(f"No Neo4j is ready in {place.path}: start it with `runtime-graph db start`.")
        raise typer.Exit(EXIT_FAILED)
    _show_login(place, address, show_password=show_password)


@app.command()
def rebuild(home: HomeOption = None) -> None:
    """Write the database anew while the service is stopped, so that its files hold nothing that was deleted.

    Copies the graph into a fresh store, compares the two and swaps them; a crash leaves the old or the new
    one, whole. Needs room for a second database.
    """
    settings = read_settings(neo4j_folder=home)
    if settings.neo4j_uri is not None:
        problems.print("NEO4J_URI names a database of yours: only the embedded one can be rebuilt.")
        raise typer.Exit(EXIT_FAILED)
    with clean_end(), jar_progress() as progress, copy_progress() as copied:
        rebuilt = rebuild_database(settings, copied, progress)
    console.print(f"{rebuilt.nodes} nodes and {rebuilt.relationships} relationships, digest {rebuilt.digest}")
    console.print(f"{rebuilt.bytes_before} bytes before, {rebuilt.bytes_after} after")


def _home(given: Path | None) -> Home:
    return Home((given or read_settings().neo4j_home).absolute())


def _show_login(home: Home, address: Address, *, show_password: bool = False) -> None:
    password = home.password() if show_password else f"in {home.password_file}"
    console.print(f"Neo4j answers at {address.uri} (user neo4j, password {password})")
    console.print(f"Neo4j Browser: {address.browser_url}")
