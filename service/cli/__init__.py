"""The console script `runtime-graph`. Each module of this room registers its commands."""

from __future__ import annotations

import typer

from service.cli import (
    assembling,
    costs,
    database,
    demo,
    importing,
    jobs,
    keys,
    logs,
    privacy,
    receipts,
    retention,
    rights,
    schema,
    serving,
    tenants,
)

COMMANDS = (
    *(demo, serving, importing, assembling, costs, keys, schema, jobs, logs),
    *(receipts, privacy, rights, retention, tenants, database),
)

main = typer.Typer(
    help="Records what agents do in a graph, and assembles what their model may see next.\n\n"
    "Every setting is an environment variable that begins with RUNTIME_GRAPH_; the database is the one at "
    "NEO4J_URI, or else a Neo4j that is brought up in the data folder.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

for module in COMMANDS:
    module.register(main)
