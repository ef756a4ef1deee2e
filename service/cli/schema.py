"""`runtime-graph schema`: migrate a database, compare it with the model, check its rules."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.console import console, exit_unless, problems, read_settings
from service.cli.documents import DOCUMENTS, ROOT
from service.cli.graph import chosen_tenants, with_graph
from service.clock import SystemClock
from service.graph.driver import Graph
from service.graph.inspection import broken_invariants, outside_vocabulary
from service.graph.migrations import actual_schema, migrate, migration_files, pending, read_applied
from service.graph.schema import SchemaItem, declared_schema

app = typer.Typer(
    help="Migrate the database, compare it with the model, check the rules that always hold.",
    no_args_is_help=True,
)


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="schema")


@app.command("migrate")
def migrate_() -> None:
    """Apply the migrations that the database lacks. The service does this at its start as well."""
    applied = with_graph(
        read_settings(), lambda graph: migrate(graph, SystemClock(), progress=problems.print)
    )
    names = ", ".join(f"{migration.version} ({migration.name})" for migration in applied)
    console.print(f"applied {names}" if names else "nothing to apply")


@app.command()
def status() -> None:
    """List migrations and differences from the desired schema; exit code 1 where there is work to do."""

    async def work(graph: Graph) -> bool:
        already, files = await read_applied(graph), migration_files()
        for applied in already:
            console.print(
                f"{applied.version} {applied.name}: applied {applied.applied_at:%Y-%m-%d %H:%M} UTC"
            )
        missing = pending(files, already)
        for migration in missing:
            console.print(f"{migration.version} {migration.name}: pending")
        differences = sorted(await actual_schema(graph) ^ declared_schema())
        for item in differences:
            console.print(_difference(item))
        return not missing and not differences

    exit_unless(with_graph(read_settings(), work))


@app.command()
def check(
    tenant: Annotated[
        str | None, typer.Option(help="Name of the one tenant to check.", show_default="all of them")
    ] = None,
) -> None:
    """Run every rule that must always hold, and look for what the model does not name.

    Prints ids and numbers, never content. Exit code 1 where a rule is broken. It reads the whole database.
    """

    async def work(graph: Graph) -> bool:
        chosen = await chosen_tenants(graph, tenant)
        if tenant is not None and not chosen:
            return False
        sound = True
        for tenant_id, name in chosen.items():
            for invariant, rows in (await broken_invariants(graph, tenant_id)).items():
                sound = False
                console.print(f"tenant {name}: {invariant}")
                for row in rows:
                    console.print(f"  {' '.join(f'{column}={value}' for column, value in row.items())}")
        odd = await outside_vocabulary(graph)
        for line in odd:
            console.print(line)
        if sound and not odd:
            console.print(f"every rule holds for {len(chosen)} tenant{'' if len(chosen) == 1 else 's'}")
        return sound and not odd

    exit_unless(with_graph(read_settings(), work))


@app.command()
def docs(
    only_check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where one is old.")
    ] = False,
) -> None:
    """Write the documents that are generated from the code."""
    old = [path for path, text in DOCUMENTS.items() if not path.exists() or path.read_text("utf-8") != text()]
    for path in old:
        if not only_check:
            path.write_text(DOCUMENTS[path](), "utf-8")
        console.print(f"{path.relative_to(ROOT)}: {'old' if only_check else 'written'}")
    exit_unless(not (only_check and old))


def _difference(item: SchemaItem) -> str:
    where = "missing" if item in declared_schema() else "not in schema/"
    return f"{item.kind} {item.name} on {item.label}({', '.join(item.properties)}): {where}"
