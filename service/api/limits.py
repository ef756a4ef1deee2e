"""Limits of one request: the size of its body, and the time until its answer begins."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.problems import problem
from service.errors import LimitExceeded, TimedOut, TimedOutWriting
from service.graph.begun_writes import watched_writes

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


class TimeLimit:
    """ASGI middleware: a request whose answer does not begin in time answers `timeout`.

    A write that it has begun goes on to its end, so the answer then says that the outcome is unknown.
    """

    def __init__(self, app: ASGIApp, timeout_ms: int) -> None:
        self._app = app
        self._timeout_s = timeout_ms / 1000

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = asyncio.timeout(self._timeout_s)

        async def send_in_time(message: Message) -> None:
            if message["type"] == "http.response.start":
                limit.reschedule(None)  # an answer that has begun is not taken back
            await send(message)

        with watched_writes() as begun:
            try:
                async with limit:
                    await self._app(scope, receive, send_in_time)
            except TimeoutError:
                if not limit.expired():
                    raise
                late = TimedOutWriting() if begun.may_be_committed() else TimedOut()
                await problem(late)(scope, receive, send)
