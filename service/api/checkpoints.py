"""Checkpoints: reading what was saved, and taking it up once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.api.assemblies import Consistency
from service.api.auth import Reader, Recorder, UseCases
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.events import IdempotencyKey
from service.api.shapes.checkpoint import CheckpointState, ResumeBody
from service.api.tree_heads import Conversation
from service.model.events import MAIN_BRANCH, ClientId
from service.telemetry import EVENTS
from service.usecases.assembly.choosing import Where
from service.usecases.resume_checkpoint import NewRun

router = APIRouter(prefix="/v1/checkpoints", tags=["checkpoints"])


@router.get("/{checkpoint_id}", summary="What a checkpoint saved", responses=documented(*TENANT_READS))
async def saved(
    checkpoint_id: str,
    conversation_id: Conversation,
    participant_id: Annotated[ClientId, Query(description="The checkpoint's own.")],
    caller: Reader,
    use: UseCases,
    token: Consistency,
    branch_id: Annotated[
        ClientId, Query(description="The checkpoint's branch, or one that inherits it.")
    ] = MAIN_BRANCH,
) -> CheckpointState:
    """The saved runtime state, and what has become of its calls and subagents on the branch. Takes nothing
    up."""
    where = Where(conversation_id, branch_id, participant_id)
    read = await use.resume_checkpoint.read(caller, checkpoint_id, where, token)
    return CheckpointState(checkpoint_id=checkpoint_id, **read)


@router.post(
    "/{checkpoint_id}/resume",
    status_code=201,
    summary="Take a checkpoint up",
    responses=documented(*TENANT_WRITES),
)
async def resume(
    checkpoint_id: str,
    body: ResumeBody,
    caller: Recorder,
    reader: Reader,
    use: UseCases,
    token: Consistency,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> CheckpointState:
    """Record that the run takes the checkpoint up, and answer the state from which it goes on.

    On each branch one run takes it up: 409 `conflict` for every other one. The same run again is answered
    from the state that is then, and writes nothing.
    """
    where = Where(body.conversation_id, body.branch_id, body.participant_id)
    run = NewRun(body.run_id, body.provider, body.model)
    read, recorded, token = await use.resume_checkpoint(
        caller, checkpoint_id, where, run, idempotency_key, token
    )
    for event in recorded:
        EVENTS.labels(event.kind).inc()
    response.headers["Consistency-Token"] = token.encode(use.secret)
    return CheckpointState(checkpoint_id=checkpoint_id, **read)
