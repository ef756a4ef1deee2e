"""The event that gives a recorded one other words. The service makes it, and no platform."""

from __future__ import annotations

import json
from typing import Any, Literal

from service.model.events.base import EventBase, Json
from service.model.vocabulary import EventKind


class RedactionEvent(EventBase):
    """From here on an event reads as `body` says: somebody was erased from it, or it was wrong. Its own
    payload is destroyed, and its envelope stays."""

    kind: Literal["redaction"]
    event_uid: str
    erased_by: str
    """The uid of the privacy request that asked for it."""
    body: Json
    """The event as it was recorded, in other words; null among a compaction's lines: one that is gone."""
    actor_uid: str | None = None
    """The seat that recorded the event, whose words they go on being."""
    subject_uids: list[str]
    """The people whose data it holds now."""


def inner_body(stored: str) -> dict[str, Any]:
    """An event as it reads now, from the payload that it has, or that stands for it."""
    body: dict[str, Any] = json.loads(stored)
    inner: dict[str, Any] = body["body"] if body["kind"] == EventKind.REDACTION else body
    return inner
