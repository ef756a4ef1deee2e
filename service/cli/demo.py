"""`runtime-graph demo`: the main job on a real recorded run, from an empty folder to a governed context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from service.cli.assembling import show_context
from service.cli.console import console
from service.cli.requests import ask, call
from service.cli.sending import client_for, send
from service.cli.serving import HostOption, PortOption, running, show_addresses, wait
from service.importers import read

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "airline-upgrade.json"
TENANT = "demo"
BUDGET_TOKENS = 1200
CONFLICT = 409


def register(main: typer.Typer) -> None:
    """Add the commands to the console script."""
    main.command()(demo)
    main.command()(up)


def up(host: HostOption = None, port: PortOption = None) -> None:
    """Bring everything up: database, migrations, service, and a first tenant with its key."""
    with running(host, port) as (settings, url, database):
        _first_key(url, settings.operator_key())
        show_addresses(url, database)
        console.print("Ctrl-C stops it.")
        wait(database)


def demo(
    host: HostOption = None,
    port: PortOption = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when the context is printed.")] = False,
) -> None:
    """Bring everything up, record the bundled run, and assemble the context for its next call.

    The data stays: a second start records nothing twice.
    """
    with running(host, port) as (settings, url, database):
        operator = settings.operator_key()
        key = _first_key(url, operator)
        passing = None
        if key is None:
            passing = call("POST", f"{url}/v1/tenants/{TENANT}/keys", operator)
            key = passing["api_key"]
        try:
            conversation = read(SAMPLE)[0]
            with client_for(url, key) as client:
                sent = send(client, conversation)
            console.print(
                f"Recorded {SAMPLE.name}: "
                + ("nothing new, it was there." if sent.repeated else f"{sent.events} events.")
            )
            body: dict[str, Any] = {
                "conversation_id": conversation.conversation_id,
                "participant_id": "assistant",
                "budget_tokens": BUDGET_TOKENS,
            }
            show_context(call("POST", f"{url}/v1/assemble", key, body))
        finally:
            if passing is not None:
                call("DELETE", f"{url}/v1/keys/{passing['key_uid']}", operator)
        show_addresses(url, database)
        if not once:
            console.print("Ctrl-C stops it. The data stays for the next start.")
            wait(database)


def _first_key(url: str, operator: str) -> str | None:
    """Make the demo's tenant and show its key, this once; None where the tenant is there already."""
    made = ask("POST", f"{url}/v1/tenants", operator, {"name": TENANT})
    if made.status_code == CONFLICT:
        console.print(
            f"The API key of tenant {TENANT} was shown at the first start; for a further one: "
            f"runtime-graph keys create --tenant {TENANT}"
        )
        return None
    api_key = str(made.raise_for_status().json()["api_key"])
    console.print(f"API key of tenant {TENANT}, shown this once: {api_key}")
    return api_key
