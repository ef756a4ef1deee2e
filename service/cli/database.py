"""`runtime-graph db`: the embedded Neo4j by itself."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from service.embedded import EmbeddedNeo4j
from service.settings import Settings

app = typer.Typer(help="Start, look at and log in to the embedded Neo4j.", no_args_is_help=True)
console = Console()


@app.command()
def start(
    home: Annotated[Path | None, typer.Option(help="Folder of the database.")] = None,
    bolt_port: Annotated[int | None, typer.Option(help="Port for drivers.")] = None,
    http_port: Annotated[int | None, typer.Option(help="Port for Neo4j Browser.")] = None,
) -> None:
    """Run Neo4j in the foreground until Ctrl-C."""
    settings = Settings()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = EmbeddedNeo4j(
        home or settings.data_folder / "neo4j",
        cache=settings.cache / "jars",
        bolt_port=bolt_port,
        http_port=http_port,
    )
    try:
        with server:
            console.print(
                f"ready at {server.uri}, user {server.username}, password in {server.home.password_file}"
            )
            server.wait()
    except KeyboardInterrupt:
        console.print("stopped")
