"""Calls of the CLI to a running service, and its problems in one line."""

from __future__ import annotations

from typing import Any

import httpx
import typer

from service.cli.console import problems

TIMEOUT_S = 120.0


def ask(method: str, url: str, key: str, body: dict[str, Any] | None = None) -> httpx.Response:
    """Send one request; a service that does not answer ends the command with code 1."""
    try:
        return httpx.request(
            method, url, json=body, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT_S
        )
    except httpx.TransportError as error:
        problems.print(f"The service at {url} does not answer ({type(error).__name__}): is it running?")
        raise typer.Exit(1) from None


def call(method: str, url: str, key: str, body: dict[str, Any] | None = None) -> Any:
    """Send one request and answer its JSON; a problem is printed and ends the command with code 1."""
    response = ask(method, url, key, body)
    if response.is_error:
        told = response.json() if "json" in response.headers.get("content-type", "") else {}
        problems.print(
            f"{response.status_code} {told.get('code', '')}: {told.get('detail', 'the service refused')}",
            style="red",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(1)
    return response.json() if response.content else None
