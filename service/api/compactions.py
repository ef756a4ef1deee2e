"""Compacting branches, and the way back from a summary."""

from __future__ import annotations

from fastapi import APIRouter, Response

from service.api.assemblies import Consistency
from service.api.auth import Reader, Recorder, UseCases
from service.api.branches import MESSAGES_DEFAULT, Continued, Limit, Seat
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.shapes.branch import SummaryLineShown
from service.api.shapes.compaction import CompactBody, CompactedBranch, ResolvedLine, SummarisedItemShown
from service.api.tree_heads import Conversation
from service.model.events import MAIN_BRANCH
from service.telemetry import EVENTS
from service.usecases.compact_branch import CompactRequest
from service.usecases.read_transcript import Place

router = APIRouter(prefix="/v1", tags=["compaction"])


@router.post(
    "/branches/{branch_id}/compact",
    status_code=201,
    summary="Compact a branch's view",
    responses=documented(*TENANT_WRITES),
)
async def compact(
    branch_id: str, body: CompactBody, caller: Recorder, use: UseCases, response: Response
) -> CompactedBranch:
    """From here on contexts of the branch see older turns as the lines of a summary, each with its pointer.

    The log keeps every event as it is, pins stay word for word, and older messages can still be recalled one
    by one. Earlier lines are folded in. Forks made later inherit it; a sibling's never applies. 409
    `nothing_to_compact` where what it would cover is covered.
    """
    place = Place(body.conversation_id, branch_id, body.participant_id)
    request = CompactRequest(place, body.compaction_id, body.until_seq, body.keep_tokens)
    made = await use.compact_branch(caller, request)
    if not made.repeated:
        EVENTS.labels("compaction").inc()
    response.headers["Consistency-Token"] = token = made.token.encode(use.secret)
    return CompactedBranch(
        compaction_id=body.compaction_id,
        event_uid=made.event_uid,
        seq=made.seq,
        consistency_token=token,
        repeated=made.repeated,
    )


@router.get(
    "/summary-lines/{uid}",
    summary="What a line of a summary stands for",
    responses=documented(*TENANT_READS),
)
async def resolve(
    uid: str,
    conversation_id: Conversation,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    branch_id: str = MAIN_BRANCH,
    participant_id: Seat = None,
    limit: Limit = MESSAGES_DEFAULT,
    cursor: Continued = None,
) -> ResolvedLine:
    """Every message and tool memory behind a line, through all compactions that folded it, with their events.

    A page has the items of at most `limit` events. A line that the asker may not see is answered as missing.
    """
    place = Place(conversation_id, branch_id, participant_id)
    line, page = await use.read_compaction(caller, place, uid, cursor, limit, token)
    return ResolvedLine(
        line=SummaryLineShown(**{name: line[name] for name in SummaryLineShown.model_fields}),
        items=[SummarisedItemShown(**item) for item in page.entries],
        next_cursor=page.next_cursor,
    )
