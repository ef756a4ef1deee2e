"""The console script `runtime-graph`: one module per command group, listed once in `GROUPS`."""

from __future__ import annotations

import typer

from service.cli import database, importing

main = typer.Typer(
    name="runtime-graph",
    help="Records what agents do in a graph, and assembles what their model may see next.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

main.add_typer(database.app, name="db")
main.command("import")(importing.import_runs)
