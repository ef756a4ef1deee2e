"""Tenants that leave: operator calls."""

from __future__ import annotations

import json

from fastapi import APIRouter

from service.api.auth import Operator, Rights, UseCases
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.offboarding import OffboardingBody, OffboardingPlanned, OffboardingShown
from service.errors import NotFound
from service.log.ledger import EntryKind
from service.model.events import ClientId, Name
from service.usecases.erasure.equip import Privacy

router = APIRouter(prefix="/v1", tags=["tenants"], responses=documented(*TENANT_WRITES))


@router.post("/tenants/{name}/offboarding", summary="See what would be destroyed with a tenant")
async def plan(name: Name, _: Operator, rights: Rights) -> OffboardingPlanned:
    """Needs the operator's key. Nothing is changed. Stop what the tenant sends first: the plan is approved by
    its digest, and one that is no longer true is refused."""
    seen = await rights.offboarding.plan(name)
    said = {field: getattr(seen, field) for field in seen.__slots__}
    return OffboardingPlanned(**said, plan_digest=seen.digest())


@router.post("/tenants/{name}/offboarding/approve", summary="Let a tenant leave, for good")
async def approve(
    name: Name, body: OffboardingBody, _: Operator, use: UseCases, rights: Rights
) -> OffboardingShown:
    """Needs the operator's key. From now on the tenant's keys are refused with 401, and everything of it is
    destroyed: data keys, nodes, blobs. It goes to its end by itself, whatever dies meanwhile.

    409 where the plan is no longer true, a legal hold is in force or a person's request is under way.
    """
    begun = await rights.offboarding.begin(name, body.plan_digest)
    await rights.offboarding.close(begun)
    use.keys.forget(begun.tenant_id)
    use.forgetting.leave(begun.tenant_id)
    await rights.carrying_out.note()
    return _shown(rights, begun.request_uid)


@router.get("/offboardings/{request_uid}", summary="Read how far a tenant's leaving is")
async def read(request_uid: ClientId, _: Operator, rights: Rights) -> OffboardingShown:
    """Needs the operator's key. With the signed receipt once the tenant has left."""
    return _shown(rights, request_uid)


def _shown(rights: Privacy, request_uid: str) -> OffboardingShown:
    begun = rights.offboarding.entry(request_uid, EntryKind.BEGUN)
    if begun is None:
        raise NotFound("offboarding")
    ended = rights.offboarding.entry(request_uid, EntryKind.ENDED)
    receipt = rights.offboarding.receipt(request_uid) if ended else None
    return OffboardingShown(
        request_uid=request_uid,
        tenant_id=begun.tenant_id,
        state="fulfilled" if ended else "in_progress",
        begun_at=begun.at,
        receipt=json.loads(receipt) if receipt else None,
    )
