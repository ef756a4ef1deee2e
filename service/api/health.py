"""Whether the service can do its work."""

from __future__ import annotations

from fastapi import APIRouter

from service.api.auth import UseCases
from service.api.contract import HEALTH, documented

router = APIRouter(tags=["health"], responses=documented(*HEALTH))


@router.get("/health/live", summary="The process runs")
async def live() -> dict[str, str]:
    """Always `ok` while the process answers."""
    return {"status": "ok"}


@router.get("/health/ready", summary="The graph answers")
async def ready(use: UseCases) -> dict[str, str]:
    """503 `unavailable` while the graph does not answer; `erasures_to_replay` or `ledger_unusable` while
    nothing is served because of the ledger."""
    await use.graph.ping()
    await use.check_gate()
    return {"status": "ok"}
