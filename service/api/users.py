"""Users as privacy officers see them: what they are called, and who is the same person."""

from __future__ import annotations

from fastapi import APIRouter

from service.api.auth import Officer, Rights
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.user import UserBody, UserShown

router = APIRouter(prefix="/v1/users", tags=["privacy"], responses=documented(*TENANT_WRITES))


@router.get("/{user_id}", summary="What a user is called, and who is the same person")
async def show(user_id: str, caller: Officer, rights: Rights) -> UserShown:
    """A restricted one too. 404 for one whom nothing names, 410 `erased` for one who was erased."""
    return UserShown(**await rights.users.show(caller, user_id))


@router.put("/{user_id}", summary="Say what a user is called in texts")
async def name(user_id: str, body: UserBody, caller: Officer, rights: Rights) -> UserShown:
    """In place of what was said before. An erasure redacts these names in what others said."""
    return UserShown(**await rights.users.name(caller, user_id, body.aliases))


@router.put("/{user_id}/same-as/{other_id}", summary="Say that two users are one person")
async def merge(user_id: str, other_id: str, caller: Officer, rights: Rights) -> UserShown:
    """Every request by right, and every legal hold, means the person under all ids from then on; where one is
    restricted all are. Contexts and memories stay each id's own.

    409 `conflict` while an erasure of either is being carried out.
    """
    return UserShown(**await rights.users.merge(caller, user_id, other_id))


@router.delete("/{user_id}/same-as/{other_id}", summary="Say no longer that two users are one person")
async def split(user_id: str, other_id: str, caller: Officer, rights: Rights) -> UserShown:
    """They stay one person where that follows from what was said of others: the answer shows it."""
    return UserShown(**await rights.users.split(caller, user_id, other_id))
