"""`runtime-graph privacy`: what becomes of people's data, for the operator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import EXIT_USAGE, console, exit_unless, problems, read_settings
from service.cli.graph import with_graph
from service.graph.driver import Graph
from service.graph.inspection import all_tenants
from service.settings import Settings
from service.usecases.absence.findings import BLOBS, GRAPH, Findings
from service.usecases.absence.needles import Needles, NoNeedleError
from service.usecases.absence.scan_blobs import scan_blobs
from service.usecases.absence.scan_files import scan_files
from service.usecases.absence.scan_graph import scan_graph
from service.usecases.erasure.custody import custody_of

app = typer.Typer(help="What becomes of people's data.", no_args_is_help=True)
_UNITS = {GRAPH: "values", BLOBS: "blobs"}


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

    Searches the graph; blobs as they lie and opened; the data folder with the raw bytes of the embedded
    database; keys, ledger and tree heads wherever they lie; and what --folder names. Exit code 1 where
    something was found or could not be searched. Keep the file of needles outside of these folders. Stop the
    service first, so that the database has written down what it knows.
    """
    lines = _lines(needles)
    try:
        sought = Needles(tuple(lines), any_case=any_case)
    except NoNeedleError as error:
        problems.print(str(error))
        raise SystemExit(EXIT_USAGE) from None
    settings = read_settings()

    async def work(graph: Graph) -> Findings:
        found = await scan_graph(graph, sought)
        for tenant_id in await all_tenants(graph):
            found.merged(await scan_blobs(sought, custody_of(settings).blobs.walk(tenant_id)))
        return found

    found = with_graph(settings, work)
    found.merged(scan_files(sought, _stores(settings) | {str(path): path for path in folder or ()}))
    _show(found, list(lines.values()))
    exit_unless(found.absent)


def _stores(settings: Settings) -> dict[str, Path]:
    """What lies in the data folder, each entry by its name, and what belongs to it wherever it lies."""
    folder = settings.data_folder.resolve()
    stores = {f"data/{path.name}": path for path in sorted(folder.iterdir())} if folder.exists() else {}
    others = {"keys": settings.keys, "ledger": settings.ledger, "tree_heads": settings.tree_heads}
    others |= {} if settings.neo4j_uri else {"neo4j": settings.neo4j_home}
    for name, path in others.items():
        if path.exists() and not any(path.resolve().is_relative_to(one) for one in stores.values()):
            stores[name] = path
    return stores


def _lines(path: Path) -> dict[str, int]:
    """What each line says that is not blank, once, with its number."""
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    return {text: number for number, text in reversed(list(lines)) if text.strip()}


def _show(found: Findings, lines: Sequence[int]) -> None:
    for store, amount in sorted(found.searched.items()):
        console.print(f"{store}: searched {amount} {_UNITS.get(store, 'bytes')}")
    for hit in sorted(found.hits, key=repr):
        needle = "" if hit.needle is None else f" (line {lines[hit.needle]})"
        console.print(f"found in {hit.store}: {' '.join(filter(None, (hit.place, hit.uid)))}{needle}")
    for store in sorted(set(found.incomplete)):
        console.print(f"not wholly searched: {store}")
    total = sum(found.counts.values())
    console.print("found nothing" if found.absent else f"found in {total} places, {len(found.hits)} shown")
