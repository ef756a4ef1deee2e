"""Branches as people read them: the transcript, pins, working memory, and two of them side by side."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from service.api.assemblies import Consistency
from service.api.auth import Reader, UseCases
from service.api.contract import TENANT_READS, documented
from service.api.shapes.branch import (
    BranchBeyond,
    BranchComparison,
    CommonEvent,
    CompactionMark,
    Pins,
    PinShown,
    Transcript,
    TranscriptMessage,
    WorkingMemoryRead,
)
from service.api.tree_heads import Conversation
from service.model.events import ClientId
from service.model.paging import CURSOR_CHARS_MAX
from service.model.vocabulary import EventKind
from service.usecases.compare_branches import Beyond
from service.usecases.read_transcript import Opened, Page, Place

router = APIRouter(prefix="/v1/branches", tags=["branches"], responses=documented(*TENANT_READS, 413))

MESSAGES_DEFAULT = 100
MESSAGES_MAX = 500
Seat = Annotated[
    ClientId | None,
    Query(description="For whom: left out, only what everybody on the branch may see."),
]
Limit = Annotated[int, Query(ge=1, le=MESSAGES_MAX, description="How many of them at most.")]
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
    """The messages of the branch's lineage, oldest first, as people read them, with a mark wherever it was
    compacted: no tool calls, runs or pins.

    Private and audit-only messages are left out, as they are from the context of the participant who asks.
    A page may have fewer messages than `limit` and still not be the last: read on until `next_cursor` is
    null.
    """
    place = Place(conversation_id, branch_id, participant_id)
    opened, page = await use.read_transcript(caller, place, cursor, limit, token)
    return Transcript(
        **_named(branch_id, opened),
        head=opened.lineage.head,
        entries=_shown(page),
        next_cursor=page.next_cursor,
    )


@router.get("/{branch_id}/working-memory", summary="What a participant has noted down on a branch")
async def working_memory(
    branch_id: str,
    conversation_id: Conversation,
    participant_id: Annotated[ClientId, Query(description="Whose, and for whom.")],
    caller: Reader,
    use: UseCases,
    token: Consistency,
    limit: Limit = MESSAGES_DEFAULT,
    cursor: Continued = None,
) -> WorkingMemoryRead:
    """The version that stands, as the participant's next context shows it, and what each version changed.

    `version` is what the next `working_memory` event expects.
    """
    place = Place(conversation_id, branch_id, participant_id)
    read = await use.read_working_memory(caller, place, cursor, limit, token)
    return WorkingMemoryRead(branch_id=branch_id, participant_id=participant_id, **read)


@router.get("/{branch_id}/pins", summary="The pins that stand on a branch")
async def pins(
    branch_id: str,
    conversation_id: Conversation,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    participant_id: Seat = None,
) -> Pins:
    """What must enter every context of the branch, as the asker may see it: at most 1,000, oldest first."""
    opened, found = await use.read_pins(caller, Place(conversation_id, branch_id, participant_id), token)
    return Pins(branch_id=branch_id, head=opened.lineage.head, pins=[PinShown(**pin) for pin in found])


@router.get("/{branch_id}/compare/{other_branch_id}", summary="Where two branches part")
async def compare(
    branch_id: str,
    other_branch_id: str,
    conversation_id: Conversation,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    participant_id: Seat = None,
    limit: Limit = MESSAGES_DEFAULT,
) -> BranchComparison:
    """The newest event that both branches read, and what each has beyond it: events by kind, and messages.

    Each has at most `limit` messages here; with its `next_cursor` the branch's transcript goes on from there.
    """
    first, second = [Place(conversation_id, one, participant_id) for one in (branch_id, other_branch_id)]
    made = await use.compare_branches(caller, first, second, limit, token)
    return BranchComparison(
        common=CommonEvent(branch_id=made.branch_id, seq=made.seq),
        first=_beyond(branch_id, made.seq, made.first),
        second=_beyond(other_branch_id, made.seq, made.second),
    )


def _named(branch_id: str, opened: Opened) -> dict[str, Any]:
    return {"branch_id": branch_id, "title": opened.row["title"], "closed": opened.row["closed"]}


def _shown(page: Page) -> list[TranscriptMessage | CompactionMark]:
    return [_ENTRIES[entry["kind"]](**entry) for entry in page.entries]


_ENTRIES: dict[str, type[TranscriptMessage | CompactionMark]] = {
    EventKind.MESSAGE: TranscriptMessage,
    EventKind.COMPACTION: CompactionMark,
}


def _beyond(branch_id: str, common_seq: int, side: Beyond) -> BranchBeyond:
    head = side.opened.lineage.head
    return BranchBeyond(
        **_named(branch_id, side.opened),
        first_seq=common_seq + 1 if head > common_seq else None,
        last_seq=head if head > common_seq else None,
        events={EventKind(kind): count for kind, count in side.events.items()},
        entries=_shown(side.page),
        next_cursor=side.page.next_cursor,
    )
