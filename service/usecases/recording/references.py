"""Which ids a batch names: those it refers to and those it makes, gathered for one look into the graph."""

from __future__ import annotations

from typing import Any

from service.errors import LimitExceeded
from service.model.events import (
    AnyBatch,
    CheckpointEvent,
    ClaimEvent,
    CompactionEvent,
    ForkEvent,
    Governed,
    MergeEvent,
    MessageEvent,
    ModelRunEvent,
    ParticipantEvent,
    PinEvent,
    ReleaseEvent,
    ResumeEvent,
    RetractEvent,
    ToolCallEvent,
    ToolCallPart,
    ToolCallResponsePart,
    ToolResultEvent,
    UserMemoryEvent,
)

Ids = dict[str, list[str]]
NAMED_MAX = 5000
"""Most ids of one kind that a batch may name: all are looked up, and new people made, in one transaction."""


def named_ids(batch: AnyBatch) -> Ids:
    """Client ids as the query `branch/open_for_append` takes them: by name, each once, in order of
    appearance. Raises LimitExceeded."""
    found: dict[str, dict[str, None]] = {name: {} for name in _PARAMETERS}

    def add(name: str, *ids: str | None) -> None:
        found[name].update(dict.fromkeys(one for one in ids if one))

    for event in batch.events:
        add("user_ids", *event.subject_ids, getattr(event, "user_id", None))
        add("run_ids", getattr(event, "run_id", None), getattr(event, "parent_run_id", None))
        add("message_ids", getattr(event, "message_id", None))
        add("message_ids", getattr(event, "at_message_id", None), *getattr(event, "message_ids", ()))
        add("call_ids", getattr(event, "call_id", None), *getattr(event, "call_ids", ()))
        add("call_ids", *getattr(event, "pending_call_ids", ()))
        add("pin_ids", getattr(event, "pin_id", None))
        if isinstance(event, Governed | CompactionEvent):
            add("participant_ids", event.participant_id)
        if isinstance(event, CompactionEvent):
            add("compaction_ids", event.compaction_id)
        if isinstance(event, Governed | ToolResultEvent):
            add("participant_ids", *event.shared_with)
        if isinstance(event, ParticipantEvent):
            add("participant_ids", event.participant_id, event.parent_participant_id)
        if isinstance(event, CheckpointEvent):
            add("participant_ids", *event.child_participant_ids)
        if isinstance(event, CheckpointEvent | ResumeEvent):
            add("participant_ids", event.participant_id)
            add("checkpoint_ids", event.checkpoint_id)
        if isinstance(event, ReleaseEvent):
            add("participant_ids", event.participant_id, *event.to)
        if isinstance(event, ClaimEvent):
            add("claim_ids", event.claim_id, event.replaces_claim_id)
            for link in event.rests_on:
                add("call_ids", link.call_id)
                add("message_ids", link.message_id)
                add("run_ids", link.run_id)
                add("claim_ids", link.claim_id)
        add("memory_ids", getattr(event, "memory_id", None), getattr(event, "replaces_memory_id", None))
        if isinstance(event, RetractEvent):
            add("participant_ids", event.participant_id)
        if isinstance(event, ModelRunEvent):
            add("assembly_ids", event.assembly_id)
        if isinstance(event, ForkEvent):
            add("branch_ids", event.branch_id, event.parent_branch_id)
        if isinstance(event, MergeEvent):
            add("branch_ids", event.from_branch_id)
        if isinstance(event, MessageEvent):
            calls = (p for p in event.parts if isinstance(p, ToolCallPart | ToolCallResponsePart))
            add("call_ids", *(part.id for part in calls))
    for name, ids in found.items():
        if len(ids) > NAMED_MAX:
            raise LimitExceeded(f"The {name} that a batch names", NAMED_MAX, "ids")
    return {name: list(ids) for name, ids in found.items()}


def new_ids(event: Any, index: int) -> list[tuple[str, str, str]]:
    """(kind, id, field path) of what an event makes, where the id must be new to its tenant."""
    at = f"events[{index}]"
    match event:
        case MessageEvent():
            parts = [
                ("calls", part.id, f"{at}.parts[{number}].id")
                for number, part in enumerate(event.parts)
                if isinstance(part, ToolCallPart)
            ]
            return [("messages", event.message_id, f"{at}.message_id"), *parts]
        case ModelRunEvent():
            return [("runs", event.run_id, f"{at}.run_id")]
        case ToolCallEvent():
            return [("calls", event.call_id, f"{at}.call_id")]
        case ClaimEvent():
            return [("claims", event.claim_id, f"{at}.claim_id")]
        case UserMemoryEvent():
            return [("user_memories", event.memory_id, f"{at}.memory_id")]
        case PinEvent():
            return [("pins", event.pin_id, f"{at}.pin_id")]
        case CheckpointEvent():
            return [("checkpoints", event.checkpoint_id, f"{at}.checkpoint_id")]
        case CompactionEvent():
            return [("compactions", event.compaction_id, f"{at}.compaction_id")]
        case ForkEvent():
            return [("branches", event.branch_id, f"{at}.branch_id")]
        case ParticipantEvent():
            return [("participants", event.participant_id, f"{at}.participant_id")]
        case _:
            return []


_PARAMETERS = (
    "participant_ids",
    "user_ids",
    "message_ids",
    "run_ids",
    "call_ids",
    "assembly_ids",
    "claim_ids",
    "memory_ids",
    "pin_ids",
    "checkpoint_ids",
    "compaction_ids",
    "branch_ids",
)
