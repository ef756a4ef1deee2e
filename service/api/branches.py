"""Branches as people read them: the transcript."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from service.api.assemblies import Consistency
from service.api.auth import Reader, UseCases
from service.api.contract import TENANT_READS, documented
from service.api.shapes.branch import Transcript, TranscriptMessage
from service.api.tree_heads import Conversation
from service.model.events import ClientId
from service.model.paging import CURSOR_CHARS_MAX
from service.usecases.read_transcript import Place

router = APIRouter(prefix="/v1/branches", tags=["branches"], responses=documented(*TENANT_READS))

MESSAGES_DEFAULT = 100
MESSAGES_MAX = 500
Seat = Annotated[
    ClientId | None,
    Query(description="For whom: left out, only what everybody on the branch may see."),
]
Limit = Annotated[int, Query(ge=1, le=MESSAGES_MAX, description="How many messages at most.")]
Continued = Annotated[
    str | None,
    Query(max_length=CURSOR_CHARS_MAX, description="What the page before answered as `next_cursor`."),
]


@router.get("/{branch_id}/transcript", summary="What was said on a branch")
async def transcript(
    branch_id: str,
    conversation_id: Conversation,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    participant_id: Seat = None,
    limit: Limit = MESSAGES_DEFAULT,
    cursor: Continued = None,
) -> Transcript:
    """The messages of the branch's lineage, oldest first, as people read them: no tool calls, runs or pins.

    Private and audit-only messages are left out, as they are from the context of the participant who asks.
    A page may have fewer messages than `limit` and still not be the last: read on until `next_cursor` is
    null.
    """
    place = Place(conversation_id, branch_id, participant_id)
    opened, page = await use.read_transcript(caller, place, cursor, limit, token)
    return Transcript(
        branch_id=branch_id,
        title=opened.row["title"],
        closed=opened.row["closed"],
        head=opened.lineage.head,
        entries=[TranscriptMessage(**one) for one in page.messages],
        next_cursor=page.next_cursor,
    )
