"""Retention: what a tenant's rules would end."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Query

from service.api.auth import Officer, Rights
from service.api.contract import TENANT_READS, documented
from service.api.shapes.retention import RetentionPreview, RuleShown
from service.errors import InvalidRequest
from service.model.configuration import RETAINED
from service.model.events import UtcTime
from service.model.retention import CLASSES
from service.model.vocabulary import RetentionAction

router = APIRouter(prefix="/v1/retention", tags=["privacy"], responses=documented(*TENANT_READS))
AHEAD: Final = timedelta(days=7)
AHEAD_MAX: Final = timedelta(days=366)


@router.get("/preview", summary="See what retention would end by a time")
async def preview(
    caller: Officer,
    rights: Rights,
    until: Annotated[UtcTime | None, Query(description="By default in 7 days; in a year at most.")] = None,
) -> RetentionPreview:
    """Counts by the tenant's active rules, as if nothing happened until then. Nothing is changed."""
    now = rights.retention.clock()
    at = until or now + AHEAD
    if not now <= at <= now + AHEAD_MAX:
        raise InvalidRequest([{"location": "until", "problem": "must lie in the coming 366 days"}])
    seen = await rights.retention.preview(caller.tenant_id, at)
    rules = [
        RuleShown(
            label=label,
            retention_class=CLASSES[label],
            action=rule.action if rule else RetentionAction.KEEP,
            after_days=rule.after_days if rule else None,
            configured=rule is not None,
        )
        for label in RETAINED
        for rule in (seen.rules.get(label),)
    ]
    return RetentionPreview(until=at, rules=rules, done=seen.done, kept=seen.kept, purged=seen.purged)
