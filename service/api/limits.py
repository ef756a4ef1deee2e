"""Refuse a request body above the stated size before it is read whole."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.problems import problem
from service.errors import LimitExceeded

REQUEST_BYTES_MAX = 32 * 1024 * 1024


class BodyLimit:
    """ASGI middleware: a declared or streamed body above the limit answers 413."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = problem(LimitExceeded("request body", REQUEST_BYTES_MAX, "bytes"))
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > REQUEST_BYTES_MAX:
            await refusal(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > REQUEST_BYTES_MAX:
                raise LimitExceeded("request body", REQUEST_BYTES_MAX, "bytes")
            return message

        await self._app(scope, counted, send)
