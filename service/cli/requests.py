"""Calls of the CLI to a running service, and its problems in one line."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import httpx
import typer

from service.cli.console import EXIT_FAILED, problems, read_settings

TIMEOUT_S = 120.0

UrlOption = Annotated[
    str | None,
    typer.Option(
        envvar="RUNTIME_GRAPH_URL", help="Where the service is.", show_default="here, at its usual port"
    ),
]
KeyOption = Annotated[str | None, typer.Option(envvar="RUNTIME_GRAPH_KEY", help="API key of the tenant.")]


def service_url(given: str | None) -> str:
    """The URL that was given, or that of the service on this machine by its settings."""
    return given or f"http://127.0.0.1:{read_settings().port}"


def part(name: str) -> str:
    """A name or an id as one part of a path: a `#` or a `?` in it must not cut it short."""
    return quote(name, safe="")


def ask(method: str, url: str, key: str, body: dict[str, Any] | None = None) -> httpx.Response:
    """Send one request; a service that does not answer ends the command with code 1."""
    try:
        return httpx.request(
            method, url, json=body, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT_S
        )
    except httpx.TransportError as error:
        problems.print(f"The service at {url} does not answer ({type(error).__name__}): is it running?")
        raise typer.Exit(EXIT_FAILED) from None


def call(method: str, url: str, key: str, body: dict[str, Any] | None = None) -> Any:
    """Send one request and answer its JSON; a problem is printed and ends the command with code 1."""
    response = answered(method, url, key, body)
    return response.json() if response.content else None


def answered(method: str, url: str, key: str, body: dict[str, Any] | None = None) -> httpx.Response:
    """Send one request and answer what came; a problem is printed and ends the command with code 1."""
    response = ask(method, url, key, body)
    if response.is_error:
        told = response.json() if "json" in response.headers.get("content-type", "") else {}
        problems.print(
            f"{response.status_code} {told.get('code', '')}: {told.get('detail', 'the service refused')}",
            style="red",
        )
        raise typer.Exit(EXIT_FAILED)
    return response
