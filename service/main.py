"""The service as a process: open what it needs, serve it over HTTP, close it again."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager

import uvicorn

from service.api.app import create_app
from service.api.services import Services
from service.clock import Clock, SystemClock
from service.embedded import Database
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.language.chat import ChatModel
from service.language.embedding import EndpointEmbedder
from service.log.ledger import Ledger
from service.model.vocabulary import PrivacyClass
from service.settings import Settings
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.check_ledger import CheckLedger
from service.usecases.erasure.custody import custody_of
from service.usecases.know_erasures import KnownErasures
from service.usecases.recall.vectors import Vectors
from service.wiring import wire

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30
POLL_S = 0.02


class ServiceNotStarted(RuntimeError):
    """The service did not come up; the message says why."""


def opening(
    settings: Settings, database: Database, clock: Clock | None = None
) -> Callable[[], AbstractAsyncContextManager[Services]]:
    """How an app opens its services: connect, migrate, hold against the ledger, wire. Without a clock, by the
    machine's. Opening raises LedgerUnusable."""

    @asynccontextmanager
    async def open_services() -> AsyncIterator[Services]:
        async with Graph(database.uri, database.user, database.password, database.name) as graph:
            await migrate(graph, SystemClock())
            blobs = Blobs.at(settings.blob_url, DataKeys(settings.data_keys))
            secret, key = settings.server_secret(), settings.operator_key()
            known = KnownErasures(Ledger(settings.ledger), settings.keys)
            await CheckLedger(graph, known, SystemClock())()
            custody = custody_of(settings, blobs)
            chat, vectors = _chat(settings), _vectors(settings)
            opened = wire(graph, blobs, secret, key, clock, chat, vectors, known, custody)
            carrying_out = opened.privacy.carrying_out if opened.privacy else None
            opened.forgetting.start()
            if carrying_out is not None:
                carrying_out.start()
            yield opened
            await opened.forgetting.close()
            if carrying_out is not None:
                await carrying_out.close()

    return open_services


@contextmanager
def serving(settings: Settings, database: Database, clock: Clock | None = None) -> Iterator[str]:
    """Serve over HTTP while the block runs; answers the service's URL.

    The server runs in a thread of its own with its own event loop, so that the caller's thread keeps Ctrl-C.
    Raises ServiceNotStarted.
    """
    app = create_app(
        opening(settings, database, clock),
        request_timeout_ms=settings.request_timeout_ms,
        metrics_for=settings.metrics,
    )
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=STOP_TIMEOUT_S,
        server_header=False,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=_run, args=(server,), name="service", daemon=True)
    thread.start()
    try:
        waited = 0.0
        while not server.started:
            if not thread.is_alive() or waited > START_TIMEOUT_S:
                taken = "it may be taken; --port or RUNTIME_GRAPH_PORT chooses another"
                slow = f"it was not ready after {START_TIMEOUT_S:.0f} s: start it again, it goes on"
                why = app.state.failure or (slow if thread.is_alive() else taken)
                raise ServiceNotStarted(f"the service did not start on port {settings.port}: {why}")
            thread.join(POLL_S)
            waited += POLL_S
        yield f"http://{settings.host}:{settings.port}"
    finally:
        server.should_exit = True
        thread.join(STOP_TIMEOUT_S)


def _chat(settings: Settings) -> ChatModel | None:
    if settings.summary_model_url is None:
        return None
    key = settings.summary_model_key
    return ChatModel(
        settings.summary_model_url, settings.summary_model, key.get_secret_value() if key else None
    )


def _vectors(settings: Settings) -> Vectors | None:
    if settings.embedding_model_url is None:
        return None
    key = settings.embedding_model_key
    model = EndpointEmbedder(
        settings.embedding_model_url, settings.embedding_model, key.get_secret_value() if key else None
    )
    return Vectors(model, PrivacyClass(settings.embedding_privacy))


def _run(server: uvicorn.Server) -> None:
    """Serve; the server's own tracebacks stay out of the log, for they can quote what was sent."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    with contextlib.suppress(SystemExit):
        server.run()
