"""Recording batches of events, and reading one entry of the log."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Header, Path, Query, Response
from pydantic import StringConstraints

from service.api.assemblies import Consistency
from service.api.auth import Reader, Recorder, UseCases
from service.api.branches import Seat
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.recording import RecordedBatch, RecordedEvent
from service.api.tree_heads import Conversation, LoggedEnvelope
from service.model.events import MAIN_BRANCH, Batch, ClientId, MessageEvent
from service.telemetry import EVENTS
from service.usecases.read_event import PayloadState
from service.usecases.read_transcript import Place

router = APIRouter(prefix="/v1", tags=["recording"], responses=documented(*TENANT_WRITES))

IdempotencyKey = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=128)] | None,
    Header(description="Names this request; the same key with the same body is applied once."),
]
EventId = Annotated[str, Path(description="The `uid` that recording answered.")]
Lineage = Annotated[ClientId, Query(description="The branch on whose lineage it is read.")]


class LoggedEvent(LoggedEnvelope):
    """One entry of the log, checked: its envelope, and what was recorded while that exists."""

    hash: str
    """What the next event names as `previous_hash`."""
    hash_holds: bool
    """Whether the envelope, as it stands, has this hash."""
    branch_id: str
    """The branch that recorded it."""
    payload: dict[str, Any] | None
    """The event as it was recorded; bytes above 16 KiB by their SHA-256. Null where it is gone, or where what
    stands in its place is not what was recorded."""
    payload_state: PayloadState
    redacts: str | None
    """Of a redaction: the uid of the event that reads as its payload's `body` says from there on."""
    redacted_by: str | None
    """The uid of the redaction by which this reads otherwise now."""
    erased_by: str | None
    """The uid of the privacy request that destroyed the payload, or that the redaction was recorded for."""
    commitment_holds: bool | None
    """Whether the payload is the one that the envelope commits to; null without one."""


@router.post("/events", status_code=201, summary="Record a batch of events on one branch")
async def record(
    batch: Batch,
    caller: Recorder,
    use: UseCases,
    response: Response,
    afterwards: BackgroundTasks,
    idempotency_key: IdempotencyKey = None,
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
        if answers := [e.message_id for e in batch.events if isinstance(e, MessageEvent) and e.answers]:
            afterwards.add_task(use.judge_answer.when_answered, caller.tenant_id, answers)
        if any(isinstance(event, MessageEvent) and event.run_id for event in batch.events):
            afterwards.add_task(use.learning.note, caller.tenant_id)
    response.headers["Consistency-Token"] = token = appended.token.encode(use.secret)
    return RecordedBatch(
        head=appended.head,
        events=[RecordedEvent(**event) for event in appended.events],
        consistency_token=token,
        repeated=appended.repeated,
    )


@router.get("/events/{event_id}", summary="Read one entry of the log")
async def event(
    event_id: EventId,
    conversation_id: Conversation,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    branch_id: Lineage = MAIN_BRANCH,
    participant_id: Seat = None,
) -> LoggedEvent:
    """An event of the branch's lineage by the `uid` that recording answered, with its payload as recorded.

    It is shown whole or not at all: 404 also where the seat that asks may not see one of the items it made.
    """
    place = Place(conversation_id, branch_id, participant_id)
    return LoggedEvent(**await use.read_event(caller, place, event_id, token))
