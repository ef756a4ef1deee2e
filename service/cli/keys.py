"""`runtime-graph keys`: tenants and their API keys."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.console import EXIT_FAILED, EXIT_USAGE, console, exit_unless, problems, read_settings
from service.cli.requests import UrlOption, call, part, service_url
from service.model.caller import Scope
from service.storage.data_keys import DataKeys
from service.storage.key_files import KeyUnreadable

app = typer.Typer(help="Make tenants and API keys on a running service.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="keys")


@app.command()
def create(
    tenant: Annotated[str, typer.Option(help="The tenant's name.")],
    new: Annotated[bool, typer.Option("--new", help="Create the tenant first.")] = False,
    scope: Annotated[
        list[Scope] | None,
        typer.Option(help="What the key may do; may be repeated. Default: all that a tenant's key may."),
    ] = None,
    url: UrlOption = None,
) -> None:
    """Make an API key and print it. It is shown this once: the service keeps only a keyed hash of it.

    Uses the operator's key of this data folder, or RUNTIME_GRAPH_ADMIN_KEY.
    """
    operator, base = read_settings().operator_key(), service_url(url)
    if new and scope:
        problems.print("A tenant's first key may do everything: make one with --scope as a further key.")
        raise typer.Exit(EXIT_USAGE)
    if new:
        made = call("POST", f"{base}/v1/tenants", operator, {"name": tenant})
    else:
        body = {"scopes": [one.value for one in scope]} if scope else None
        made = call("POST", f"{base}/v1/tenants/{part(tenant)}/keys", operator, body)
    console.print(made["api_key"])
    console.print(f"id {made['key_uid']}, tenant {made['tenant_id']}", style="dim")


@app.command()
def revoke(
    key_uid: Annotated[str, typer.Argument(help="The key's id, as shown when it was made.")],
    url: UrlOption = None,
) -> None:
    """End a key. Requests with it answer 401 within ten seconds everywhere."""
    call("DELETE", f"{service_url(url)}/v1/keys/{part(key_uid)}", read_settings().operator_key())
    console.print("revoked")


@app.command("rotate-encryption")
def rotate_encryption() -> None:
    """Wrap every data key by a new key-encryption key and destroy the old one. Blobs stay as they are.

    A running service goes on meanwhile; a crash in the middle leaves every key readable, and running it again
    ends it. Exit code 1 where a key could not be read before.
    """
    try:
        done = DataKeys(read_settings().data_keys).rotate()
    except KeyUnreadable as error:
        problems.print(error.detail)
        raise typer.Exit(EXIT_FAILED) from None
    console.print(f"{done.wrapped} data keys are wrapped by a new key, {done.unreadable} could not be read")
    exit_unless(not done.unreadable)
