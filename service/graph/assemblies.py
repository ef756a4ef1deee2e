"""Gateway of assembly: the scope, the candidates, the record."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache

from service.graph.query import Row, query
from service.model.candidates import (
    CallCandidate,
    Checkpoint,
    Governance,
    MemoryCandidate,
    MessageCandidate,
    PinCandidate,
    Release,
    SkillState,
    Speaker,
    WorkingMemory,
)
from service.model.vocabulary import (
    CallStatus,
    Freshness,
    Outcome,
    ParticipantKind,
    PinKind,
    PrivacyClass,
    Role,
    Visibility,
)

GOVERNANCES_CACHED_MAX = 16_384
VISIBILITIES = {member.value: member for member in Visibility}
PRIVACY_CLASSES = {member.value: member for member in PrivacyClass}

open_for_assembly = query("branch/open_for_assembly")
list_messages = query("message/list_lineage")
list_memories = query("tool_memory/list_lineage")
list_state = query("branch/list_state")
count_items = query("branch/count_items")
list_wide_messages = query("message/list_wide")
list_wide_memories = query("tool_memory/list_wide")
list_open_calls = query("tool_call/list_open")
record_assembly = query("context_assembly/record_assembly")
list_left = query("context_assembly/list_left")
read_assembly = query("context_assembly/read_assembly")
read_artifacts = query("tool_artifact/read_artifacts")
find_artifact = query("tool_artifact/find_artifact")
list_recent = query("context_assembly/list_recent")
find_origin = query("message/find_origin")
find_item = query("message/find_item")
note_resolution = query("tool_memory/note_resolution")


def message(row: Row) -> MessageCandidate:
    """A row of `message/list_lineage` as a candidate."""
    return MessageCandidate(
        uid=row["uid"],
        place=(row["seq"], 0),
        role=Role(row["role"]),
        text=row["text"],
        tokens=row["tokens"],
        recorded_at=_time(row["recorded_ms"]),
        governance=governance(row),
    )


def memory(row: Row) -> MemoryCandidate:
    """A row of `tool_memory/list_lineage` as a candidate."""
    return MemoryCandidate(
        uid=row["uid"],
        artifact_uid=row["artifact_uid"],
        place=(row["seq"], row["part"]),
        tool_name=row["tool_name"],
        parameters=tuple(row["parameters"]),
        headline=row["headline"],
        headline_tokens=row["headline_tokens"],
        records=tuple(row["records"]),
        record_tokens=tuple(row["record_tokens"]),
        record_key=row["record_key"],
        record_fields=tuple(row["record_fields"]),
        status=CallStatus(row["call_status"]),
        freshness=Freshness(row["freshness"]),
        retry_critical=row["retry_critical"],
        repair_attempts=row["repair_attempts"],
        result_tokens=row["result_tokens"],
        result_bytes=row["result_bytes"],
        observed_at=_time(row["observed_ms"]),
        recorded_at=_time(row["recorded_ms"]),
        stale_after=None if row["stale_ms"] is None else _time(row["stale_ms"]),
        governance=governance(row),
    )


def call(row: Row) -> CallCandidate:
    """A row of `tool_call/list_open` as a candidate."""
    answered = row["result_seq"] is not None
    return CallCandidate(
        uid=row["uid"],
        call_id=row["call_id"],
        place=(row["call_seq"], row["part"]),
        tool_name=row["tool_name"],
        arguments=row["arguments"] or "",
        arguments_tokens=row["arguments_tokens"],
        status=CallStatus(row["call_status"]),
        artifact_uid=row["artifact_uid"],
        result_place=(row["result_seq"], row["result_part"]) if answered else None,
        result=row["result"] if row["result"] or not row["error"] else row["error"],
        result_blob=row["result_blob"],
        arguments_blob=row["arguments_blob"],
        subject_uids=tuple(row["subject_uids"]),
        result_tokens=row["result_tokens"] or 0,
        governance=governance(row),
    )


def pin(row: Row) -> PinCandidate:
    """A pin of `branch/list_state`, with its message's text where it has none of its own."""
    return PinCandidate(
        uid=row["uid"],
        place=(row["seq"], 0),
        kind=PinKind(row["pin_kind"]),
        text=row["text"] or "",
        governance=governance(row),
        message_uid=row["message"]["uid"] if row["message"] else None,
        message_governance=governance(row["message"]) if row["message"] else None,
    )


def speaker(row: Row) -> Speaker:
    """A participant of `branch/list_state`."""
    return Speaker(
        uid=row["uid"],
        name=row["display_name"] or row["participant_id"],
        kind=ParticipantKind(row["participant_kind"]),
    )


def skill_state(row: Row) -> SkillState:
    """A skill state of `branch/list_state`."""
    return SkillState(
        uid=row["uid"],
        place=(row["seq"], 0),
        skills=tuple(row["skills"]),
        profiles=tuple(row["profiles"]),
        direct_tools=tuple(row["direct_tools"]),
        integrations=tuple(row["integrations"]),
        governance=governance(row),
    )


def working_memory(row: Row) -> WorkingMemory:
    """A working memory of `branch/list_state`."""
    return WorkingMemory(
        uid=row["uid"],
        place=(row["seq"], 0),
        version=row["version"],
        fields=json.loads(row["fields"]),
        block=row["block"],
        governance=governance(row),
    )


def checkpoint(row: Row) -> Checkpoint:
    """A checkpoint of `branch/list_state`."""
    return Checkpoint(
        uid=row["uid"],
        place=(row["seq"], 0),
        pending_call_ids=tuple(row["pending_call_ids"]),
        budgets=tuple(row["budgets"]),
        recorded_at=_time(row["recorded_ms"]),
        governance=governance(row),
        working_memory=next(map(working_memory, row["working_memories"]), None),
    )


def release(row: Row) -> Release:
    """A release decision of `branch/list_state`."""
    return Release(
        uid=row["uid"],
        place=(row["seq"], 0),
        child_uid=row["participant_uid"],
        outcome=Outcome(row["outcome"]),
        summary=row["summary"],
    )


def governance(row: Row) -> Governance:
    """An enumeration's unknown value fails closed: nobody sees it, and it goes nowhere."""
    return _governance(
        row["participant_uid"],
        row["visibility"],
        row["privacy_class"],
        row["branch_ref"],
        tuple(row["shared_with"]),
    )


@lru_cache(maxsize=GOVERNANCES_CACHED_MAX)
def _governance(
    participant_uid: str, visibility: str, privacy_class: str, branch_ref: int, shared_with: tuple[str, ...]
) -> Governance:
    """One value for all items that are governed alike."""
    return Governance(
        participant_uid=participant_uid,
        visibility=VISIBILITIES.get(visibility, Visibility.AUDIT),
        privacy_class=PRIVACY_CLASSES.get(privacy_class, PrivacyClass.SECRET),
        branch_ref=branch_ref,
        shared_with=shared_with,
    )


def _time(epoch_ms: int) -> datetime:
    return datetime.fromtimestamp(epoch_ms / 1000, UTC)
