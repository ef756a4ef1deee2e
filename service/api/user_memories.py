"""What is known of a person, in all conversations of that person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from service.api.assemblies import Consistency
from service.api.auth import Reader, UseCases
from service.api.branches import Continued, Seat
from service.api.contract import TENANT_READS, documented
from service.api.events import Lineage
from service.api.shapes.user_memory import UserMemories, UserMemoryHistory
from service.errors import InvalidRequest
from service.model.events import MAIN_BRANCH, ClientId
from service.model.vocabulary import MemoryKind
from service.usecases.read_transcript import Place
from service.usecases.read_user_memories import AskedMemories

router = APIRouter(prefix="/v1", tags=["user memories"], responses=documented(*TENANT_READS))

MEMORIES_DEFAULT = 50
MEMORIES_MAX = 500
QUERY_CHARS_MAX = 2_000


async def _seat(
    conversation_id: Annotated[
        ClientId | None, Query(description="A conversation of the person, with `participant_id`.")
    ] = None,
    branch_id: Lineage = MAIN_BRANCH,
    participant_id: Seat = None,
) -> Place | None:
    """For whom; None: what every agent may see."""
    if (conversation_id is None) is not (participant_id is None):
        missing = "conversation_id" if conversation_id is None else "participant_id"
        raise InvalidRequest([{"location": missing, "problem": "goes with the other one"}])
    return Place(conversation_id, branch_id, participant_id) if conversation_id is not None else None


For = Annotated[Place | None, Depends(_seat)]


@router.get("/users/{user_id}/memories", summary="What is known of a person")
async def of_user(
    user_id: str,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    seat: For,
    query: Annotated[
        str | None, Query(min_length=1, max_length=QUERY_CHARS_MAX, description="Like what; best first.")
    ] = None,
    kind: MemoryKind | None = None,
    include_superseded: Annotated[bool, Query(description="After those in force, newest first.")] = False,
    limit: Annotated[int, Query(ge=1, le=MEMORIES_MAX, description="How many of them at most.")] = (
        MEMORIES_DEFAULT
    ),
    cursor: Continued = None,
) -> UserMemories:
    """What is in force, best first, and by reason how many are left out: superseded, retracted, expired.

    Where two contradict each other both are answered, next to each other, also where that is one more than
    `limit`.
    """
    asked = AskedMemories(user_id, query, kind, include_superseded, limit, cursor)
    return UserMemories(**await use.read_user_memories(caller, asked, seat, token))


@router.get("/user-memories/{memory_id}", summary="One user memory and its history")
async def history(
    memory_id: str, caller: Reader, use: UseCases, token: Consistency, seat: For
) -> UserMemoryHistory:
    """What it says, where it was said, and what else was stated of the same: what it superseded, what stands
    for it, what contradicts it."""
    return UserMemoryHistory(**await use.read_user_memories.history(caller, memory_id, seat, token))
