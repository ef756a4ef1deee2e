"""Watching requests: each has an id and is counted, and the numbers can be read at /metrics."""

from __future__ import annotations

import re
import time
from ipaddress import ip_address
from typing import Final

import structlog
from fastapi import FastAPI, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.ids import new_uid
from service.settings import MetricsReach
from service.telemetry import REQUEST_SECONDS, REQUESTS

REQUEST_ID_HEADER: Final = b"x-request-id"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
"""Stands for a path that no route has, and for a method of the caller's own making."""

_PLAIN_TOKEN = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_log = structlog.get_logger(__name__)


class Observed:
    """ASGI middleware, the outermost one: gives a request its id, echoes it, counts the answer.

    A caller's `X-Request-Id` is taken over where it is a plain short token; else a new one is made.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope) or new_uid().encode()
        status, ended = 500, 0.0

        async def echo(message: Message) -> None:
            nonlocal status, ended
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (REQUEST_ID_HEADER, request_id)]
            await send(message)
            ended = time.perf_counter()  # what a request has done after its answer is not its caller's time

        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id.decode()):
            try:
                await self._app(scope, receive, echo)
            finally:
                _count(scope, status, (ended or time.perf_counter()) - started)


def install(app: FastAPI, reach: MetricsReach) -> None:
    """Add `GET /metrics`: to nobody, to callers on this machine, or to all."""
    if reach == "off":
        return

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        if reach == "loopback" and not _is_local(request):
            raise HTTPException(404)
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _count(scope: Scope, status: int, duration_s: float) -> None:
    route = getattr(scope.get("route"), "path", OTHER)  # the template: ids stand in the path itself
    method = scope["method"] if scope["method"] in METHODS else OTHER
    REQUESTS.labels(route, method, str(status)).inc()
    REQUEST_SECONDS.labels(route, method).observe(duration_s)
    say = _log.warning if status >= 500 else _log.debug
    say("request", route=route, method=method, status=status, duration_ms=round(duration_s * 1000, 1))


def _given_id(scope: Scope) -> bytes | None:
    given: bytes | None = dict(scope["headers"]).get(REQUEST_ID_HEADER)
    return given if given and _PLAIN_TOKEN.fullmatch(given) else None


def _is_local(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:  # no address, as behind a socket of the file system
        return False
