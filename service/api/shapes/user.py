"""Users as one person with several ids and names."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from service.api.shapes.recording import Answer
from service.model.events import Name, Strict

ALIASES_MAX = 64


class UserBody(Strict):
    """What a user is called in texts."""

    aliases: Annotated[list[Name], Field(max_length=ALIASES_MAX)]


class SaidSame(Answer):
    """That somebody said of two users that they are one person."""

    recorded_at: datetime
    recorded_by: str
    """The uid of the key."""


class SameUser(Answer):
    """Another id of the same person."""

    user_id: str | None
    uid: str
    said: SaidSame | None
    """null: it follows from what was said of others."""


class UserShown(Answer):
    """A user, and who else is the same person."""

    user_id: str
    uid: str
    aliases: list[str]
    restricted: bool
    changed_at: datetime | None
    """When its names were last said, or it was split from another one."""
    changed_by: str | None
    """The uid of the key that did."""
    same_as: list[SameUser]
