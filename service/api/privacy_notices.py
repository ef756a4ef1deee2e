"""The outbox of notices: who is still to be told what became of a person's data."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from service.api.auth import Officer, Rights
from service.api.branches import Continued
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.notices import Notices, NoticeShown, SentBody
from service.model.privacy import NoticeState

router = APIRouter(prefix="/v1/privacy-notices", tags=["privacy"], responses=documented(*TENANT_WRITES))
NOTICES_DEFAULT = 50
NOTICES_MAX = 500


@router.get("", summary="List who is to be told, and who was")
async def listed(
    caller: Officer,
    rights: Rights,
    state: Annotated[NoticeState | None, Query(description="Default: both.")] = None,
    limit: Annotated[int, Query(ge=1, le=NOTICES_MAX)] = NOTICES_DEFAULT,
    cursor: Continued = None,
) -> Notices:
    """Oldest first. There is one for each recipient of an erasure, a rectification or a restriction that was
    carried out: providers of models that answered where the person's data stood before, and
    `privacy.recipients` of the configuration."""
    found = await rights.notices.listed(caller, state, cursor, limit)
    more = found[-1]["notice_id"] if len(found) == limit else None
    return Notices(notices=[NoticeShown(**row) for row in found], next_cursor=more)


@router.post("/{notice_id}/sent", summary="Note that a recipient was told")
async def sent(notice_id: str, body: SentBody, caller: Officer, rights: Rights) -> NoticeShown:
    """The service sends nothing itself. Noted again by the same key with the same, it answers the same; 409
    `conflict` where it was noted otherwise before."""
    return NoticeShown(**await rights.notices.sent(caller, notice_id, body.sent_at, body.reference))
