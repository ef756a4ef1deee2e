"""Legal holds: duties to keep what is held of a person."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from service.api.auth import Officer, Rights
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.privacy import HeldEvents, HoldBody, Holds, HoldShown
from service.usecases.legal_holds import NewHold

router = APIRouter(prefix="/v1/legal-holds", tags=["privacy"], responses=documented(*TENANT_WRITES))


@router.post("", status_code=201, summary="Set a legal hold on a person")
async def make(body: HoldBody, caller: Officer, rights: Rights) -> HoldShown:
    """Retention leaves what it covers alone. An erasure seals it under the hold's own key, where nobody but
    an officer sees it, until the hold ends or expires."""
    new = NewHold(body.hold_id, body.user_id, body.basis, body.expires_at)
    return HoldShown(**await rights.holds.make(caller, new))


@router.get("", summary="List legal holds")
async def listed(caller: Officer, rights: Rights) -> Holds:
    """Oldest first, ended ones too."""
    return Holds(holds=[HoldShown(**row) for row in await rights.holds.listed(caller)])


@router.get("/{hold_id}/events", summary="Read what a hold keeps of an erased person")
async def events(hold_id: str, caller: Officer, rights: Rights) -> HeldEvents:
    """Each event with its payload, as it was recorded; large bytes beside it in base64."""
    kept: list[dict[str, Any]] = await rights.holds.open(caller, hold_id)
    return HeldEvents(events=kept)


@router.post("/{hold_id}/end", summary="End a legal hold")
async def end(hold_id: str, caller: Officer, rights: Rights) -> HoldShown:
    """What an erasure had sealed for it is destroyed now, and the ledger says so."""
    return HoldShown(**await rights.holds.end(caller, hold_id))
