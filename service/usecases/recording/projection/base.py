"""What every kind of event shares when it is projected: place, ownership, references, bytes, the log
entry."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from service.errors import UnknownReference
from service.ids import new_uid
from service.model.chain import canonical
from service.model.events import (
    CompactionEvent,
    EventBase,
    Governed,
    RedactionEvent,
    ResumeEvent,
    RetractEvent,
    ToolResultEvent,
    UserMemoryEvent,
)
from service.text.tokens import Tokenizer
from service.usecases.recording.projection.rows import INLINE_BYTES_MAX, Known, Logged, Row, Rows

LARGE_FIELDS = ("arguments", "result", "response")
"""Fields of events and of a message's parts whose bytes go to the blob store when they are large."""


class ProjectionBase:
    """State of one batch's projection: what is known, where it stands, what it has made so far."""

    def __init__(self, known: Known, tokenizer: Tokenizer, now: datetime) -> None:
        self._known = known
        self._count = tokenizer.count
        self._encoding = tokenizer.encoding_name
        self._now = now
        self._at = ""
        self._call_at = ""
        self._offset = 0
        self._part = 0
        self.branch_ref = known.branch_ref
        self.rows = Rows()
        self.logged: list[Logged] = []
        self._own_calls: dict[str, Row] = {}
        self._own_arguments: dict[str, str] = {}
        self._answers: dict[str, str] = {}

    def _place(self) -> Row:
        return {
            "uid": new_uid(),
            "conversation_uid": self._known.conversation_uid,
            "branch_ref": self._known.branch_ref,
            "offset": self._offset,
            "part": self._part,
            "recorded_at": self._now,
        }

    def _owned(self, event: Governed, owner: Row) -> Row:
        return {
            "participant_uid": owner["uid"],
            "shared_with": self._participant_uids(event.shared_with),
            "subject_uids": list(self._subjects(event, owner)),
            "occurred_at": event.occurred_at or self._now,
        }

    def _participant_row(self, participant_id: str, name: str) -> Row:
        row = self._known.participants.get(participant_id)
        if row is None:
            raise UnknownReference(f"{self._at}.{name}")
        return row

    def _participant_uids(self, participant_ids: list[str]) -> list[str]:
        return [str(self._participant_row(one, "shared_with")["uid"]) for one in participant_ids]

    def _run_uid(self, run_id: str | None, name: str = "run_id") -> str | None:
        if run_id is None:
            return None
        if run_id not in self._known.runs:
            raise UnknownReference(f"{self._at}.{name}")
        return self._known.runs[run_id]

    def _in_lineage(self, call: Row) -> bool:
        return "offset" in call or self._known.lineage.holds(call["branch_ref"], call["seq"])

    def _subjects(self, event: EventBase, owner: Row | None) -> tuple[str, ...]:
        if event.subject_ids:
            return tuple(sorted({self._known.users[one] for one in event.subject_ids}))
        uids = {self._known.owner_user_uid, owner["user_uid"] if owner else None} - {None}
        return tuple(sorted(uid for uid in uids if uid))

    def _result_subjects(self, event: ToolResultEvent, call: Row) -> tuple[str, ...]:
        """The people of a result are those of its call unless it names others."""
        return self._subjects(event, None) if event.subject_ids else tuple(call["subject_uids"])

    def _bytes_row(self, name: str, text: str, subject_uids: list[str]) -> Row:
        """`<name>` inline or as a blob of the row's people, with its hash and size."""
        data = text.encode()
        digest = hashlib.sha256(data).hexdigest()
        large = len(data) > INLINE_BYTES_MAX
        if large:
            self.rows.blobs[tuple(subject_uids), digest] = data
        return {
            name: None if large else text,
            f"{name}_blob": digest if large else None,
            f"{name}_sha256": digest,
            f"{name}_bytes": len(data),
        }

    def _logged(self, event: EventBase, tokens: int, items: int) -> Logged:
        body = event.model_dump(mode="json", exclude_unset=True)
        for holder in (body, *body.get("parts", ())):
            holder.update({name: self._by_reference(holder[name]) for name in LARGE_FIELDS if name in holder})
        actor_uid: str | None = None
        if isinstance(event, ToolResultEvent):
            call = self._known.calls[event.call_id]
            actor_uid, subjects = call["participant_uid"], self._result_subjects(event, call)
        else:
            seat = self._known.participants.get(getattr(event, "participant_id", None) or "")
            acts = isinstance(event, Governed | ResumeEvent | RetractEvent | CompactionEvent)
            actor_uid = seat["uid"] if seat and acts else None
            subjects = self._subjects(event, seat)
        if isinstance(event, UserMemoryEvent | RetractEvent):
            subjects = self._known.user_memories[event.memory_id].subject_uids
        if isinstance(event, CompactionEvent):
            subjects = tuple(sorted({uid for line in event.lines for uid in line.subject_uids}))
        if isinstance(event, RedactionEvent):
            actor_uid, subjects = event.actor_uid, tuple(sorted(event.subject_uids))
        return Logged(
            kind=str(body["kind"]),
            actor_uid=actor_uid,
            subject_uids=subjects,
            body=canonical(body),
            transcript_tokens=tokens,
            transcript_items=items,
        )

    def _by_reference(self, value: Any) -> Any:
        """A payload names large bytes by their hash, so that the log does not hold them twice."""
        data = as_text(value).encode()
        if len(data) <= INLINE_BYTES_MAX:
            return value
        digest = hashlib.sha256(data).hexdigest()
        return {"blob": digest, "bytes": len(data), "json": not isinstance(value, str)}


def as_text(value: Any) -> str:
    """A call's arguments or a result as stored: strings to the byte, anything else as canonical JSON."""
    return value if isinstance(value, str) else "" if value is None else canonical(value)
