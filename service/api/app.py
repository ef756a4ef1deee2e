"""The web application: routes, problems, limits. It is given its use cases and opens nothing itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from service.api import (
    answers,
    artifacts,
    assemblies,
    branches,
    checkpoints,
    claims,
    compactions,
    configuration,
    contract,
    costs,
    events,
    health,
    knowledge_documents,
    knowledge_graph,
    learning_candidates,
    legal_holds,
    metrics,
    offboarding,
    privacy_notices,
    privacy_requests,
    problems,
    reference,
    retention,
    tenants,
    tree_heads,
    user_memories,
    users,
)
from service.api.gate import Gate
from service.api.limits import BodyLimit, TimeLimit
from service.api.services import Services
from service.settings import MetricsReach

Opening = Callable[[], AbstractAsyncContextManager[Services]]
_ROUTED = (
    *(events, assemblies, artifacts, branches, checkpoints, claims, compactions, user_memories),
    *(answers, learning_candidates, knowledge_documents, knowledge_graph),
    *(costs, users, privacy_requests, privacy_notices, legal_holds, retention),
    *(tree_heads, configuration, tenants, offboarding, health),
)
"""Modules with routes, in the order in which the API docs have them."""
DESCRIPTION = (
    "Record everything an agent does, assemble what its model may see next, and explain every choice. "
    "Errors are RFC 9457 problems with a stable `code`; nothing that was sent is repeated in them."
)


def create_app(
    open_services: Opening, *, request_timeout_ms: int | None = None, metrics_for: MetricsReach = "loopback"
) -> FastAPI:
    """An app that opens its services when it starts and closes them when it stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            async with open_services() as opened:
                app.state.services = opened
                yield
                await opened.learning.close()
        except Exception as error:
            app.state.failure = error
            raise

    app = FastAPI(
        title="runtime-graph",
        version=version("runtime-graph"),
        description=DESCRIPTION,
        lifespan=lifespan,
        separate_input_output_schemas=False,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.failure = None
    for module in _ROUTED:
        app.include_router(module.router)
    metrics.install(app, metrics_for)
    problems.install(app)
    contract.complete(app)
    reference.install(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(Gate, check=lambda: app.state.services.check_gate())
    if request_timeout_ms is not None:
        app.add_middleware(TimeLimit, timeout_ms=request_timeout_ms)
    # Around everything, also around what turns an unexpected error into an answer.
    app.middleware_stack = metrics.Observed(app.build_middleware_stack())
    return app
