"""Recording: batches of events."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Response
from pydantic import StringConstraints

from service.api.auth import Recorder, UseCases
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.recording import RecordedBatch, RecordedEvent
from service.model.events import Batch
from service.telemetry import EVENTS

router = APIRouter(prefix="/v1", tags=["recording"], responses=documented(*TENANT_WRITES))

IdempotencyKey = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=128)] | None,
    Header(description="Names this request; the same key with the same body is applied once."),
]


@router.post("/events", status_code=201, summary="Record a batch of events on one branch")
async def record(
    batch: Batch, caller: Recorder, use: UseCases, response: Response, idempotency_key: IdempotencyKey = None
) -> RecordedBatch:
    """All events of the batch are applied, in order, or none is.

    A new conversation begins with a `conversation` event on branch `main`. `expected_head` makes the write
    conditional: 409 `head_moved` with the current `head` when the branch has moved on. Sent again with the
    same `Idempotency-Key` (or, without one, with the same body) a batch is applied once and answered the
    same.
    """
    appended = await use.append_events(caller, batch, idempotency_key)
    if not appended.repeated:
        for event in batch.events:
            EVENTS.labels(event.kind).inc()
    response.headers["Consistency-Token"] = token = appended.token.encode(use.secret)
    return RecordedBatch(
        head=appended.head,
        events=[RecordedEvent(**event) for event in appended.events],
        consistency_token=token,
        repeated=appended.repeated,
    )
