"""Memories and messages for tests of the policies: only what a test is about is said."""

from __future__ import annotations

from datetime import UTC, datetime

from service.model.candidates import Governance, MemoryCandidate, MessageCandidate
from service.model.vocabulary import CallStatus, Freshness, PrivacyClass, Role, Visibility

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def owned(participant: str = "agent", visibility: Visibility = Visibility.CONVERSATION) -> Governance:
    """Who owns an item."""
    return Governance(participant, visibility, PrivacyClass.INTERNAL, branch_ref=1)


def memory(
    seq: int,
    headline: str,
    *records: str,
    key: str | None = None,
    fields: tuple[str, ...] = (),
    status: CallStatus = CallStatus.EXECUTED,
    governance: Governance | None = None,
) -> MemoryCandidate:
    """A memory; the tool's name is the headline up to its bracket, and a token is five characters."""
    return MemoryCandidate(
        uid=f"memory-{seq}",
        artifact_uid=f"artifact-{seq}",
        place=(seq, 0),
        tool_name=headline.partition("(")[0],
        parameters=(),
        headline=headline,
        headline_tokens=1 + len(headline) // 5,
        records=records,
        record_tokens=tuple(1 + len(record) // 5 for record in records),
        record_key=key,
        status=status,
        freshness=Freshness.SESSION,
        observed_at=NOON,
        recorded_at=NOON,
        governance=governance or owned(),
        record_fields=fields,
    )


def message(seq: int, role: Role, text: str) -> MessageCandidate:
    """Something said."""
    return MessageCandidate(f"message-{seq}", (seq, 0), role, text, 1 + len(text) // 5, NOON, owned())
