"""The gate before all traffic: closed while the database holds people whom the ledger says were erased."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.problems import problem
from service.errors import RuntimeGraphError

GATED = "/v1"


class Gate:
    """ASGI middleware: requests under /v1 are answered with the problem that `check` raises, if it does."""

    def __init__(self, app: ASGIApp, check: Callable[[], Awaitable[None]]) -> None:
        self._app = app
        self._check = check

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and scope["path"].startswith(GATED):
            try:
                await self._check()
            except RuntimeGraphError as error:
                await problem(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)
