"""`runtime-graph log`: prove that nothing was rewritten, in the database or from a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import EXIT_FAILED, EXIT_USAGE, console, exit_unless, problems, read_settings
from service.cli.graph import chosen_tenants, with_graph
from service.cli.keyfiles import read_keys
from service.clock import SystemClock
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.log.exports import NotAnExportError, verify_export
from service.log.kept_heads import KeptHeads, UnreadableHeadsError
from service.log.ledger import EntryKind, Ledger, LedgerEntry, UnreadableLedgerError
from service.log.verification import Verdict
from service.model.privacy import Destruction
from service.usecases.manage_signing_key import public_pem, rotate_key, trusted_keys
from service.usecases.verify_log import VerifyLog, export_log

app = typer.Typer(
    help="Prove that nothing was rewritten.\n\n"
    "Events form a chain of hashes per branch, and the job sign_tree_heads signs where each branch stands. "
    "With the signed tree heads and the public key anybody can check later that the log still has exactly "
    "those events: [bold]log verify[/bold] in the database, or without it from a file that "
    "[bold]log export[/bold] wrote.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

TenantOption = Annotated[
    str | None, typer.Option(help="Name of the one tenant to verify.", show_default="all of them")
]
HeadsOption = Annotated[
    Path | None,
    typer.Option(
        help="Tree heads that were kept outside the database: the job's file, or a copy of it.",
        show_default="the file of the settings; with --export none",
    ),
]


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="log")


@app.command()
def verify(
    tenant: TenantOption = None,
    heads: HeadsOption = None,
    export: Annotated[
        Path | None, typer.Option(help="Verify this export instead; needs no database and no service.")
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(
            help="PEM file with the public keys to trust; needed with --export. Take it from where you trust "
            "it, not from the export.",
            show_default="those of the folder of secrets",
        ),
    ] = None,
) -> None:
    """Check every event against its chain, its payload, its branch and the signed tree heads.

    Exit code 1 where something was changed, dropped, swapped, cut off or rewritten, with the first bad
    position of each branch: its uid, the seq, and what is wrong. No content is printed. A payload may be
    missing only where the ledger, or the entries of it in the export, say that it was destroyed, and no more
    of them than they say.

    For example, with what an auditor was given:

    runtime-graph log verify --export acme.jsonl --public-key log-public.pem --heads tree-heads.jsonl
    """
    if export is not None:
        exit_unless(_verify_file(export, public_key, heads))
        return
    settings = read_settings(tree_heads_file=heads)
    keys = read_keys(public_key) if public_key else trusted_keys(settings.keys)

    async def work(graph: Graph) -> bool:
        await migrate(graph, SystemClock(), progress=problems.print)
        ledger = Ledger(settings.ledger)
        if ledger.ends_half_done():
            console.print("The ledger ends with half a line, which a killed writer left: it says nothing.")
        verify_log = VerifyLog(graph, keys, KeptHeads(settings.tree_heads), ledger)
        tenants = await chosen_tenants(graph, tenant)
        try:
            sound = [_told(await verify_log(one), f"tenant {name}") for one, name in tenants.items()]
            missing = {head.tenant_id for head in verify_log.kept.read()} - tenants.keys()
            left = {one.tenant_id for one in ledger.read(keys) if _says_left(one)} & missing
        except UnreadableHeadsError as error:
            problems.print(f"The file of tree heads: {error}.")
            return False
        except UnreadableLedgerError as error:
            problems.print(f"The ledger: {error}.")
            return False
        for tenant_id in sorted(left) if tenant is None else ():
            console.print(f"tenant {tenant_id} has signed tree heads, and left, as the ledger says")
        for tenant_id in sorted(missing - left) if tenant is None else ():
            console.print(f"tenant {tenant_id} has signed tree heads, and is missing")
            sound.append(False)
        return all(sound) and (tenant is None or bool(tenants))

    exit_unless(with_graph(settings, work))


@app.command()
def export(
    tenant: Annotated[str, typer.Option(help="Name of the tenant.")],
    output: Annotated[Path, typer.Option(help="File to write; it must not exist.")],
    payloads: Annotated[
        bool, typer.Option(help="With what was said; without it the chain can be verified, and contents not.")
    ] = True,
) -> None:
    """Write a tenant's log as JSON lines: branches, signed tree heads, events, and the public keys.

    Without payloads the file holds ids of the service, hashes, numbers and times, and no content.
    """
    settings = read_settings()

    async def work(graph: Graph) -> bool:
        await migrate(graph, SystemClock(), progress=problems.print)
        events = 0
        for tenant_id in await chosen_tenants(graph, tenant):
            pem = public_pem(settings.keys)
            ledger = Ledger(settings.ledger).read(trusted_keys(settings.keys))
            with os.fdopen(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                async for piece in export_log(graph, tenant_id, pem, ledger, payloads=payloads):
                    events += piece.count(b'{"type":"event"')
                    file.write(piece)
            console.print(f"{events} events in {output}")
            return True
        return False

    try:
        exit_unless(with_graph(settings, work))
    except UnreadableLedgerError as error:
        problems.print(f"The ledger: {error}.")
        raise typer.Exit(EXIT_FAILED) from None
    except FileExistsError:
        problems.print(f"{output} exists already.")
        raise typer.Exit(EXIT_USAGE) from None


@app.command("public-key")
def public_key_() -> None:
    """Print the public keys that check signed tree heads, as PEM: every key that was ever in use."""
    print(public_pem(read_settings().keys), end="")


@app.command("rotate-key")
def rotate() -> None:
    """Sign with a new key from now on. The old private key is destroyed; its public key stays trusted.

    A running `jobs start` takes the new key up at its next run. Give the public keys to your auditors again.
    """
    console.print(f"Tree heads are signed with key {rotate_key(read_settings().keys).key_id} from now on.")


def _verify_file(path: Path, public_key: Path | None, heads: Path | None) -> bool:
    if public_key is None:
        raise typer.BadParameter("--export needs --public-key: the keys to trust")
    keys = read_keys(public_key)
    try:
        if heads is not None and not heads.exists():
            raise FileNotFoundError
        outside = KeptHeads(heads).read() if heads else []
        verdict, preamble = verify_export(path, outside, keys)
    except (NotAnExportError, UnreadableHeadsError) as error:
        problems.print(f"{error}.")
        return False
    except OSError:
        problems.print("A file cannot be read.")
        return False
    if heads is not None and not verdict.kept_outside:
        problems.print("None of the tree heads is of the tenant that the export is said to be of.")
        return False
    if not preamble.payloads:
        console.print("The export has no payloads: contents are not verified.")
    return _told(verdict, str(path))


def _says_left(entry: LedgerEntry) -> bool:
    return entry.what is Destruction.OFFBOARDING and entry.kind is EntryKind.ENDED


def _told(verdict: Verdict, what: str) -> bool:
    """Say what was found; answers whether nothing was rewritten."""
    for fault in (*verdict.faults, *verdict.miscounts):
        console.print(f"{what}: {fault}")
    if not verdict.is_sound:
        return False
    console.print(
        f"{what}: nothing was rewritten in {verdict.events} events on {verdict.branches} branches, "
        f"held against {verdict.tree_heads} signed tree heads, {verdict.kept_outside} of them kept outside"
    )
    if verdict.erased:
        console.print(f"{what}: {verdict.erased} payloads are missing, as the ledger says")
    if not verdict.kept_outside:
        console.print("Without tree heads from outside, a log rewritten as a whole would not be noticed.")
    return True
