"""`runtime-graph receipt`: check what an erasure is said to have done, without the service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import EXIT_FAILED, console, problems
from service.cli.keyfiles import read_keys
from service.log.ledger import Ledger, UnreadableLedgerError
from service.log.receipts import Receipt, ReceiptInvalid, hold_against

app = typer.Typer(help="Check receipts of erasures, offline.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="receipt")


@app.callback()
def group() -> None:
    """Check receipts of erasures, offline."""


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="The receipt, as the service answered it.")],
    public_key: Annotated[
        Path, typer.Option(help="PEM file with the public keys to trust, from where you trust it.")
    ],
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger, or a copy: it must have this receipt.")
    ] = None,
) -> None:
    """Check a receipt's signature, and say in plain words what it says. Exit code 1 where it does not hold.

    Needs no database, no service and no settings.
    """
    keys = read_keys(public_key)
    try:
        text = file.read_text("utf-8")
        receipt = Receipt.verified(text, keys)
        if ledger is not None:
            if not ledger.exists():
                raise FileNotFoundError(None, None, str(ledger))
            hold_against(receipt, text, Ledger(ledger).read(keys))
    except ReceiptInvalid as error:
        problems.print(f"The receipt does not hold: {error}.")
        raise typer.Exit(EXIT_FAILED) from None
    except UnreadableLedgerError as error:
        problems.print(f"The ledger: {error}.")
        raise typer.Exit(EXIT_FAILED) from None
    except (OSError, UnicodeDecodeError) as error:
        problems.print(f"{getattr(error, 'filename', None) or file} cannot be read.")
        raise typer.Exit(EXIT_FAILED) from None
    for line in told(receipt):
        console.print(line)
    console.print("The signature holds." if ledger is None else "The signature holds, and the ledger has it.")


def told(receipt: Receipt) -> Iterator[str]:
    """What a receipt says, line by line."""
    yield f"{receipt.kind} {receipt.request_uid} of tenant {receipt.tenant_id}"
    yield f"of {', '.join(receipt.subject_uids) or 'nobody by name'}"
    yield f"from {receipt.begun_at} to {receipt.ended_at}"
    yield f"destroyed: {_listed(receipt.nodes)}; edges: {_listed(receipt.edges)}"
    for name, store in receipt.stores.items():
        yield f"in {name}: {store.number} destroyed, {store.size_bytes} bytes"
    yield (
        f"redacted {receipt.redacted}, derived again {receipt.derived}, "
        f"kept for review {receipt.kept_for_review}, held {receipt.held}"
    )
    if receipt.shared_before is not None or receipt.shared_after is not None:
        same = receipt.shared_before == receipt.shared_after
        yield f"what is shared with others is {'as it was' if same else 'not as it was'}"
    scan = receipt.scan
    yield (
        f"searched for {scan.needles} traces in {scan.graph_values} values of the graph, {scan.blobs} blobs, "
        f"{scan.file_bytes} bytes of the ledger and the file of tree heads: {scan.hits} found"
    )
    for window in receipt.windows:
        yield f"bytes may still lie in {window.store}, ended by {window.how_to_end}"
    if not receipt.windows:
        yield "no window is left"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
