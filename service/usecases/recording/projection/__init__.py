"""From events to the graph: which nodes each event of a batch makes. Pure; it draws ids, and nothing else.

Rows carry an `offset` in the batch; `append_events` turns it into a `seq` once it holds the branch's lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from service.errors import IdTaken, InvalidRequest, LimitExceeded, UnknownReference
from service.ids import new_branch_ref, new_uid
from service.model.chain import canonical
from service.model.events import (
    BlobPart,
    CheckpointEvent,
    ClaimEvent,
    CloseEvent,
    CompactionEvent,
    ConversationEvent,
    ForkEvent,
    MergeEvent,
    MessageEvent,
    ModelRunEvent,
    ParticipantEvent,
    PinEvent,
    RedactionEvent,
    ReleaseEvent,
    RenameEvent,
    ReopenEvent,
    ResumeEvent,
    RetractEvent,
    SkillStateEvent,
    TextPart,
    ToolCallEvent,
    ToolCallPart,
    ToolCallResponsePart,
    ToolResultEvent,
    UnpinEvent,
    UserMemoryEvent,
    WorkingMemoryEvent,
)
from service.model.lineage import Lineage
from service.model.vocabulary import ParticipantKind, Visibility
from service.policies import classification
from service.policies.learning import may_queue
from service.usecases.recording.projection.claims import ClaimProjection
from service.usecases.recording.projection.compactions import CompactionProjection
from service.usecases.recording.projection.rows import INLINE_BYTES_MAX, Known, Logged, Row, Rows
from service.usecases.recording.projection.user_memories import UserMemoryProjection

__all__ = ["INLINE_BYTES_MAX", "Known", "Logged", "Projection", "Rows", "message_words"]

MERGED_STRETCHES_MAX = 1_000
"""Stretches of other branches that merges may show on one; each merge has one for each branch in its span."""


class Projection(UserMemoryProjection, CompactionProjection):
    """Reads a batch event by event and collects `rows` and `logged`; raises where the batch contradicts
    itself."""

    def read(self, events: list[Any]) -> None:
        """Project every event, in order."""
        for index, event in enumerate(events):
            self._at = f"events[{index}]"
            self._call_at = f"{self._at}.call_id"
            self._offset = index + 1
            self._part = 0
            tokens, items = self._handlers[type(event)](self, event)
            self.logged.append(self._logged(event, tokens, items))

    def _conversation(self, event: ConversationEvent) -> tuple[int, int]:
        if self._offset != 1:
            raise InvalidRequest(
                [{"location": self._at, "problem": "a conversation opens its first batch and nothing else"}]
            )
        return 0, 0

    def _participant(self, event: ParticipantEvent) -> tuple[int, int]:
        if event.participant_id in self._known.participants:
            raise IdTaken(f"{self._at}.participant_id")
        parent = event.parent_participant_id
        row = {
            "uid": new_uid(),
            "conversation_uid": self._known.conversation_uid,
            "conversation_id": self._known.conversation_id,
            "participant_id": event.participant_id,
            "participant_kind": event.participant_kind.value,
            "display_name": event.display_name,
            "agent": event.agent,
            "user_uid": self._known.users[event.user_id] if event.user_id else None,
            "parent_participant_uid": self._participant_row(parent, "parent_participant_id")["uid"]
            if parent
            else None,
            "created_at": self._now,
        }
        self._known.participants[event.participant_id] = row
        self.rows.participants.append(row)
        return 0, 0

    def _fork(self, event: ForkEvent) -> tuple[int, int]:
        parent = self._known.parents.get(event.parent_branch_id)
        if parent is None:
            raise UnknownReference(f"{self._at}.parent_branch_id")
        branch: Row = {
            "uid": new_uid(),
            "branch_ref": new_branch_ref(),
            "conversation_uid": self._known.conversation_uid,
            "conversation_id": self._known.conversation_id,
            "branch_id": event.branch_id,
            "title": event.title,
            "created_at": self._now,
        }
        self.rows.branches.append(
            {
                "offset": self._offset,
                "location": self._at,
                "parent": parent,
                "at_seq": event.at_seq,
                "at_message": self._at_message(event),
                "properties": branch,
            }
        )
        self._known.parents[event.branch_id] = branch
        return 0, 0

    def _at_message(self, event: ForkEvent) -> Row | None:
        """Where the message stands that a fork follows, as branch_ref and seq."""
        if event.at_message_id is None:
            return None
        if event.at_seq is not None:
            raise InvalidRequest(
                [{"location": f"{self._at}.at_seq", "problem": "goes without at_message_id"}]
            )
        place = self._known.message_places.get(event.at_message_id)
        if place is None:
            raise UnknownReference(f"{self._at}.at_message_id")
        return place

    def _branch_change(self, event: RenameEvent | CloseEvent | ReopenEvent) -> tuple[int, int]:
        properties: Row = {"closed": isinstance(event, CloseEvent)}
        if isinstance(event, RenameEvent):
            properties = {"title": event.title}
        self.rows.changes.append({"branch_ref": self._known.branch_ref, "properties": properties})
        return 0, 0

    def _merge(self, event: MergeEvent) -> tuple[int, int]:
        source = self._known.parents.get(event.from_branch_id)
        if source is None:
            raise UnknownReference(f"{self._at}.from_branch_id")
        if source["branch_ref"] == self._known.branch_ref or "head" not in source:
            problem = "names this branch, or one that this batch forks"
            raise InvalidRequest([{"location": f"{self._at}.from_branch_id", "problem": problem}])
        if event.from_seq > source["head"]:
            problem = f"that branch's head is {source['head']}"
            raise InvalidRequest([{"location": f"{self._at}.from_seq", "problem": problem}])
        whole = Lineage.of_row(source, event.from_seq)
        shown = whole.up_to(event.from_seq).after(whole.meets(self._known.lineage)[1])
        if not shown.stretches:
            problem = "that branch has nothing beyond this one up to there"
            raise InvalidRequest([{"location": f"{self._at}.from_seq", "problem": problem}])
        made = sum(len(row["stretches"]) for row in self.rows.merges)
        if self._known.merged_stretches + made + len(shown.stretches) > MERGED_STRETCHES_MAX:
            raise LimitExceeded("Merges into one branch", MERGED_STRETCHES_MAX, "stretches")
        self.rows.merges.append(
            {
                "offset": self._offset,
                "branch_ref": self._known.branch_ref,
                "source_ref": source["branch_ref"],
                "cutoff": event.from_seq,
                "stretches": [(s.branch_ref, s.floor, s.ceiling) for s in shown.stretches],
            }
        )
        return 0, 0

    def _message(self, event: MessageEvent) -> tuple[int, int]:
        author = self._participant_row(event.participant_id, "participant_id")
        kind = ParticipantKind(author["participant_kind"])
        text, parts = message_words(event)
        blob_tokens = sum(part.tokens for part in event.parts if isinstance(part, BlobPart))
        tokens = self._count(text) + blob_tokens
        run_uid = self._run_uid(event.run_id)
        visibility = classification.message_visibility(event.visibility, kind, bool(event.shared_with))
        privacy_class = classification.message_privacy(kind, event.privacy_class)
        learnable = may_queue(event.role, run_uid is not None, visibility, privacy_class)
        row = {
            **self._place(),
            "message_id": event.message_id,
            "role": event.role.value,
            "text": text,
            "parts": parts,
            "tokens": tokens,
            "encoding": self._encoding,
            "run_uid": run_uid,
            "visibility": visibility.value,
            "privacy_class": privacy_class.value,
            "queued_at": self._now if learnable else None,
            **self._owned(event, author),
        }
        self._known.messages[event.message_id] = row["uid"]
        self._known.message_places[event.message_id] = row
        self.rows.messages.append(row)
        items = 1
        for number, part in enumerate(event.parts):
            self._part += 1
            self._call_at = f"{self._at}.parts[{number}].id"
            added = added_items = 0
            if isinstance(part, ToolCallPart):
                call = ToolCallEvent(
                    kind="tool_call",
                    call_id=part.id,
                    tool_name=part.name,
                    arguments=part.arguments,
                    message_id=event.message_id,
                    **_shared_fields(event),
                )
                added, added_items = self._tool_call(call)
            elif isinstance(part, ToolCallResponsePart):
                added, added_items = self._tool_result(
                    ToolResultEvent(
                        kind="tool_result",
                        call_id=part.id,
                        result=part.response,
                        privacy_class=event.privacy_class,
                        visibility=event.visibility,
                        subject_ids=event.subject_ids,
                        occurred_at=event.occurred_at,
                    )
                )
            tokens += added
            items += added_items
        return tokens, items

    def _model_run(self, event: ModelRunEvent) -> tuple[int, int]:
        owner = self._participant_row(event.participant_id, "participant_id")
        if event.assembly_id is not None and event.assembly_id not in self._known.assemblies:
            raise UnknownReference(f"{self._at}.assembly_id")
        row = {
            **self._place(),
            "run_id": event.run_id,
            "run_status": event.run_status.value,
            "runtime_kind": event.runtime_kind.value,
            "provider": event.provider,
            "model": event.model,
            "assembly_id": event.assembly_id,
            "parent_run_uid": self._run_uid(event.parent_run_id, "parent_run_id"),
            "input_tokens": event.input_tokens,
            "output_tokens": event.output_tokens,
            "error": event.error,
            "visibility": classification.runtime_visibility(event.visibility).value,
            "privacy_class": classification.tool_privacy(event.privacy_class).value,
            **self._owned(event, owner),
        }
        self._known.runs[event.run_id] = row["uid"]
        self.rows.runs.append(row)
        return 0, 0

    _handlers: dict[type, Callable[..., tuple[int, int]]] = {  # noqa: RUF012
        ConversationEvent: _conversation,
        ParticipantEvent: _participant,
        ForkEvent: _fork,
        RenameEvent: _branch_change,
        CloseEvent: _branch_change,
        ReopenEvent: _branch_change,
        MergeEvent: _merge,
        MessageEvent: _message,
        ModelRunEvent: _model_run,
        ToolCallEvent: CompactionProjection._tool_call,
        ToolResultEvent: CompactionProjection._tool_result,
        ClaimEvent: ClaimProjection._claim,
        UserMemoryEvent: UserMemoryProjection._user_memory,
        RetractEvent: UserMemoryProjection._retract,
        PinEvent: CompactionProjection._pin,
        UnpinEvent: CompactionProjection._unpin,
        SkillStateEvent: CompactionProjection._skill_state,
        WorkingMemoryEvent: CompactionProjection._working_memory,
        CheckpointEvent: CompactionProjection._checkpoint,
        ResumeEvent: CompactionProjection._resume,
        ReleaseEvent: CompactionProjection._release,
        CompactionEvent: CompactionProjection._compaction,
        RedactionEvent: CompactionProjection._redaction,
    }


def message_words(event: MessageEvent) -> tuple[str, str | None]:
    """A message as text, and its parts where these are more than that."""
    text = "\n".join(_shown(part) for part in event.parts if isinstance(part, TextPart | BlobPart))
    return text, None if _only_text(event) else canonical(_parts(event))


def _shown(part: TextPart | BlobPart) -> str:
    """A part as text: an image or a file by its name, which the platform resolves where its model can see
    it."""
    if isinstance(part, TextPart):
        return part.content
    return f"[{part.type} {part.name or part.file_id}, {part.mime_type}, id {part.file_id}]"


def _only_text(event: MessageEvent) -> bool:
    return len(event.parts) == 1 and isinstance(event.parts[0], TextPart)


def _parts(event: MessageEvent) -> list[Any]:
    """Parts as the message keeps them: calls and answers by id, for their nodes hold the rest."""
    kept: list[Any] = []
    for part in event.parts:
        if isinstance(part, (ToolCallPart, ToolCallResponsePart)):
            kept.append({"type": part.type, "id": part.id})
        else:
            kept.append(part.model_dump(mode="json", exclude_none=True))
    return kept


def _shared_fields(event: MessageEvent) -> Row:
    """What a call has from its message. It is its participant's all the same, or more private with it."""
    return {
        "visibility": classification.narrowest(Visibility.PARTICIPANT, event.visibility),
        "participant_id": event.participant_id,
        "run_id": event.run_id,
        "shared_with": event.shared_with,
        "privacy_class": event.privacy_class,
        "subject_ids": event.subject_ids,
        "occurred_at": event.occurred_at,
    }
