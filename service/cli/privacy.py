"""`runtime-graph privacy`: what becomes of people's data, for the operator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import EXIT_USAGE, console, exit_unless, problems, read_settings
from service.cli.graph import with_graph
from service.graph.driver import Graph
from service.settings import Settings
from service.usecases.absence.findings import Findings
from service.usecases.absence.needles import Needles, NoNeedleError
from service.usecases.absence.scan_files import scan_files
from service.usecases.absence.scan_graph import scan_graph

app = typer.Typer(help="What becomes of people's data.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="privacy")


@app.command()
def scan(
    needles: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="File of what to search for, one per line.")
    ],
    folder: Annotated[
        list[Path] | None, typer.Option(exists=True, help="More files and folders to search, such as logs.")
    ] = None,
    any_case: Annotated[
        bool, typer.Option("--any-case", help="Also in capitals and in small letters: for names.")
    ] = False,
) -> None:
    """Search everything that is kept for given strings; prints places, never what was found.

    Searches the graph, the data folder with blobs and the raw bytes of the embedded database, and what
    --folder names. Exit code 1 where something was found or could not be searched. Keep the file of needles
    outside of these folders. Stop the service first, so that the database has written down what it knows.
    """
    try:
        sought = Needles(_lines(needles), any_case=any_case)
    except NoNeedleError as error:
        problems.print(str(error))
        raise SystemExit(EXIT_USAGE) from None
    settings = read_settings()

    async def work(graph: Graph) -> Findings:
        return await scan_graph(graph, sought)

    found = with_graph(settings, work)
    found.merged(scan_files(sought, _stores(settings) | {str(path): path for path in folder or ()}))
    _show(found)
    exit_unless(found.absent)


def _stores(settings: Settings) -> dict[str, Path]:
    """What lies in the data folder, each entry by its name, and the embedded database wherever it lies."""
    kept = settings.data_folder
    stores = {path.name: path for path in sorted(kept.iterdir())} if kept.exists() else {}
    return stores | ({} if settings.neo4j_uri else {settings.neo4j_home.name: settings.neo4j_home})


def _lines(path: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(str.strip, path.read_text("utf-8").splitlines())))


def _show(found: Findings) -> None:
    for store, amount in sorted(found.searched.items()):
        console.print(f"{store}: searched {amount} {'values' if store == 'graph' else 'bytes'}")
    for hit in sorted(found.hits, key=repr):
        needle = "" if hit.needle is None else f" (needle {hit.needle + 1})"
        console.print(f"found in {hit.store}: {hit.place} {hit.uid or ''}{needle}")
    for store in sorted(set(found.incomplete)):
        console.print(f"not wholly searched: {store}")
    total = sum(found.counts.values())
    console.print("found nothing" if found.absent else f"found in {total} places, {len(found.hits)} shown")
