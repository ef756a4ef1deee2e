"""`runtime-graph keys`: tenants and their API keys."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.console import console
from service.cli.requests import call
from service.settings import Settings

app = typer.Typer(help="Make tenants and API keys on a running service.", no_args_is_help=True)

UrlOption = Annotated[
    str | None,
    typer.Option(
        envvar="RUNTIME_GRAPH_URL", help="Where the service is.", show_default="here, at its usual port"
    ),
]


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="keys")


@app.command()
def create(
    tenant: Annotated[str, typer.Option(help="The tenant's name.")],
    new: Annotated[bool, typer.Option("--new", help="Create the tenant first.")] = False,
    url: UrlOption = None,
) -> None:
    """Make an API key and print it. It is shown this once: the service keeps only a keyed hash of it.

    Uses the operator's key of this data folder, or RUNTIME_GRAPH_ADMIN_KEY.
    """
    settings = Settings()
    base = url or f"http://127.0.0.1:{settings.port}"
    if new:
        made = call("POST", f"{base}/v1/tenants", settings.operator_key(), {"name": tenant})
    else:
        made = call("POST", f"{base}/v1/tenants/{tenant}/keys", settings.operator_key())
    console.print(made["api_key"], soft_wrap=True)
    console.print(f"id {made['key_uid']}, tenant {made['tenant_id']}", style="dim", soft_wrap=True)


@app.command()
def revoke(
    key_uid: Annotated[str, typer.Argument(help="The key's id, as shown when it was made.")],
    url: UrlOption = None,
) -> None:
    """End a key. Requests with it answer 401 within ten seconds everywhere."""
    settings = Settings()
    base = url or f"http://127.0.0.1:{settings.port}"
    call("DELETE", f"{base}/v1/keys/{key_uid}", settings.operator_key())
    console.print("revoked")
