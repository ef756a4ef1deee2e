"""Notices to recipients of people's data."""

from __future__ import annotations

from datetime import datetime

from service.api.shapes.recording import Answer
from service.model.events import ClientId, Strict, UtcTime
from service.model.privacy import NoticeState, PrivacyRequestKind


class SentBody(Strict):
    """That a recipient was told."""

    sent_at: UtcTime | None = None
    """Default: now."""
    reference: ClientId | None = None
    """Where you file it, such as a ticket's number; no name of a person."""


class NoticeShown(Answer):
    """Who is to be told what became of a person's data. It names no person: the request does, by
    pseudonym."""

    notice_id: str
    recipient: str
    """A provider as runs name it, or one of the configuration's recipients."""
    request_id: str
    request_uid: str
    what: PrivacyRequestKind
    state: NoticeState
    created_at: datetime
    sent_at: datetime | None
    sent_by: str | None
    """The uid of the key that said so."""
    reference: str | None


class Notices(Answer):
    """Oldest first."""

    notices: list[NoticeShown]
    next_cursor: str | None


class NoticeCounts(Answer):
    """How many recipients of a request are still to be told, and how many were."""

    open: int
    sent: int
