"""Random conversations: drawn as plain choices, and turned into events that the contract allows.

Every text of an event holds a word of its own, so that a context shows by its words what it is made of.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from reference.model import OPEN, Entry, World

Json = dict[str, Any]
CONVERSATION = "c"
SEATS: dict[str, Json] = {
    "mia": {"participant_kind": "human", "user_id": "user-mia"},
    "ada": {"participant_kind": "agent"},
    "bo": {"participant_kind": "agent"},
    "scout": {"participant_kind": "subagent", "parent_participant_id": "ada"},
    "chair": {"participant_kind": "moderator"},
}
AGENTS = ("ada", "bo", "scout", "scout")
VISIBILITIES = (None, None, None, None, "participant", "branch", "conversation", "audit")
CLASSES = (None, None, None, None, "public", "internal", "personal", "sensitive", "secret")
AGES_MIN = (None, None, 15, 45, 90)
FRESHNESS = (None, "volatile", "session", "time_limited", "durable", "permanent")
TEXTS = (
    "The invoice INV-2043 is due on 2026-04-02.",
    "Übergabe am Dienstag, Raum 7.",
    "漢字 and 😀 in one line",
    "nothing to add",
)
KINDS = (
    *("message",) * 7,
    *("call",) * 4,
    *("result",) * 5,
    *("fork",) * 2,
    *("merge",) * 3,
    *("compact",) * 2,
    *("pin", "unpin", "release", "release", "checkpoint", "model_run", "skill_state"),
    *("working_memory", "working_memory", "resume"),
)
SETTLED_KINDS = (*("message",) * 24, *("call",) * 12, *("result",) * 14, *KINDS)
TRUNK_KINDS = tuple(kind for kind in SETTLED_KINDS if kind != "fork")
"""For long conversations: mostly talk and tools."""
PICKS = 1_000


@dataclass(frozen=True)
class Choice:
    """One drawn step; numbers are taken modulo what there is. `pause_min` lets time pass before it."""

    kind: str
    moves: bool
    branch: int
    seat: int
    visibility: str | None
    privacy: str | None
    shared: int
    pick: int
    key: int
    pause_min: int


choices = st.lists(
    st.builds(
        Choice,
        st.sampled_from(KINDS),
        st.sampled_from((True, False, False, False)),
        st.integers(0, 7),
        st.integers(0, len(SEATS) - 1),
        st.sampled_from(VISIBILITIES),
        st.sampled_from(CLASSES),
        st.integers(0, 15),
        st.integers(0, PICKS),
        st.integers(0, 6),
        st.sampled_from((*(0,) * 8, 7, 20)),
    ),
    min_size=24,
    max_size=40,
)


def settled(chance: random.Random, length: int) -> list[Choice]:
    """A long conversation: a trunk, then branches that seldom change; mostly open to its seats."""
    return [
        Choice(
            chance.choice(SETTLED_KINDS if number > length // 3 else TRUNK_KINDS),
            number > length // 3 and chance.random() < 0.04,
            chance.randrange(8),
            chance.randrange(len(SEATS)),
            chance.choice((None, None, None, *VISIBILITIES, "branch")),
            chance.choice((None,) * 10 + CLASSES),
            chance.randrange(40),
            chance.randrange(PICKS),
            chance.randrange(400),
            chance.choice((0,) * 50 + (7,)),
        )
        for number in range(length)
    ]


def opening() -> list[Json]:
    """The conversation and its seats."""
    seats = [{"kind": "participant", "participant_id": name, **seat} for name, seat in SEATS.items()]
    return [{"kind": "conversation", "user_id": "user-mia"}, *seats]


def event_of(
    choice: Choice, world: World, branch: str, name: str, now: datetime, branches_max: int
) -> Json | None:
    """The event of a choice, with `name` for its id and its word; None where the branch has no use for it."""
    lineage = world.branches.get(branch, [])
    seat, agent = list(SEATS)[choice.seat], AGENTS[choice.seat % len(AGENTS)]
    shared = [who for at, who in enumerate(SEATS) if choice.shared < 4 and (at + choice.shared) % 3 == 0]
    governed = _given(visibility=choice.visibility, privacy_class=choice.privacy, shared_with=shared)
    match choice.kind:
        case "message":
            return _message(choice, world, branch, seat, name) | governed
        case "call":
            status = "deferred" if choice.pick % 5 == 0 else "pending"
            asked = {"kind": "tool_call", "call_id": name, "participant_id": agent, "call_status": status}
            return {
                **asked,
                "tool_name": f"look_up_{choice.pick % 2}",
                **_arguments(choice, name),
                **governed,
            }
        case "result":
            return _result(choice, world, branch, name, now, governed)
        case "fork":
            return _fork(choice, world, branch, name) if len(world.heads) < branches_max else None
        case "merge":
            return _merge(choice, world, branch)
        case "compact":
            return {"kind": "compact", "keep_tokens": choice.pick % 120}
        case "pin":
            pin = {"kind": "pin", "pin_id": name, "participant_id": seat, "pin_kind": "decision", **governed}
            said = [e.id for e in lineage if e.kind == "message" and has_words(e)]
            if said and choice.pick % 2:
                return {**pin, "message_id": said[choice.pick % len(said)]}
            return {**pin, "text": f"{TEXTS[choice.pick % len(TEXTS)]} {word(name)}"}
        case "unpin":
            pins = [entry.id for entry in lineage if entry.kind == "pin"]
            return {"kind": "unpin", "pin_id": pins[choice.pick % len(pins)]} if pins else None
        case "release":
            return _release(choice, lineage, agent, name)
        case "checkpoint":
            return {"kind": "checkpoint", "checkpoint_id": name, "participant_id": agent, **governed}
        case "working_memory":
            return _notes(choice, world, branch, agent, name) | governed
        case "resume":
            taken = [e.event["checkpoint_id"] for e in lineage if e.kind == "resume" and e.branch == branch]
            open_at = [e for e in lineage if e.kind == "checkpoint" and e.id not in taken]
            at = open_at[choice.pick % len(open_at)] if open_at else None
            resume = {"kind": "resume", "run_id": name}
            return at and {**resume, "checkpoint_id": at.id, "participant_id": at.owner}
        case "skill_state":
            return {"kind": "skill_state", "participant_id": agent, "skills": [word(name)], **governed}
        case _:
            return {"kind": "model_run", "run_id": name, "participant_id": agent}


def word(name: str) -> str:
    """The word that stands in every text of an event."""
    return f"zq{name}x"


def has_words(message: Entry) -> bool:
    """Whether it says anything."""
    return any(part["type"] == "text" for part in message.event["parts"])


def unanswered(world: World, branch: str) -> list[str]:
    """Ids of calls of a branch that can be answered."""
    lineage = world.branches.get(branch, [])
    closed = {
        e.id for e in lineage if e.kind in ("memory", "answer") and e.event.get("call_status") not in OPEN
    }
    return [e.id for e in lineage if e.kind == "tool_call" and e.id not in closed]


def _message(choice: Choice, world: World, branch: str, seat: str, name: str) -> Json:
    role = "system" if choice.pick % 23 == 0 else "user" if seat in ("mia", "chair") else "assistant"
    parts: list[Json] = [{"type": "text", "content": f"{TEXTS[choice.pick % len(TEXTS)]} {word(name)}"}]
    if seat in AGENTS and choice.pick % 7 == 0:
        call = {"type": "tool_call", "id": f"{name}c", "name": "look_up_0", **_arguments(choice, name)}
        parts = [call] if choice.pick % 3 == 0 else [*parts, call]
    elif choice.pick % 13 == 0 and (open_calls := unanswered(world, branch)):
        call_id = open_calls[choice.pick % len(open_calls)]
        found = {"key": choice.key, "state": "open", "note": word(name)}
        parts.append({"type": "tool_call_response", "id": call_id, "response": found})
    return {"kind": "message", "message_id": name, "participant_id": seat, "role": role, "parts": parts}


def _arguments(choice: Choice, name: str) -> Json:
    key = {"key": choice.key}
    return {"arguments": key if choice.pick % 3 else {**key, "note": word(name)}}


def _result(
    choice: Choice, world: World, branch: str, name: str, now: datetime, governed: Json
) -> Json | None:
    open_calls = unanswered(world, branch)
    if not open_calls:
        return None
    event = {"kind": "tool_result", "call_id": open_calls[choice.pick % len(open_calls)], **governed}
    if choice.pick % 9 == 0:
        return {**event, "call_status": "cancelled"}
    if choice.pick % 8 == 0:
        return {**event, "call_status": "deferred"}
    if choice.pick % 7 == 0:
        return {
            **event,
            "call_status": "failed",
            "error": f"503 {word(name)}",
            "retry_critical": choice.moves,
        }
    age = AGES_MIN[choice.pick % len(AGES_MIN)]
    stale = None if age is None else now + timedelta(minutes=age)
    found = {"key": choice.key, "state": "open", "amount": choice.pick, "note": word(name)}
    freshness = FRESHNESS[choice.pick % len(FRESHNESS)]
    return {**event, "result": found, **_given(freshness=freshness, stale_after=stale)}


def _fork(choice: Choice, world: World, branch: str, name: str) -> Json:
    fork = {"kind": "fork", "branch_id": name, "parent_branch_id": branch}
    said = [e.id for e in world.branches[branch] if e.kind == "message"]
    if choice.pick % 4 == 0:
        return fork
    if choice.pick % 4 == 1 and said:
        return {**fork, "at_message_id": said[choice.pick % len(said)]}
    head = world.heads[branch]
    return {**fork, "at_seq": max(1, head - choice.pick % (head if choice.pick % 3 else min(head, 5)))}


def _merge(choice: Choice, world: World, branch: str) -> Json | None:
    """Of a branch with things of its own, up to one that this branch does not read."""
    inside = {entry.key for entry in world.branches.get(branch, [])}
    others = [name for name in world.branches if any(e.branch == name for e in world.branches[name])]
    beyond = [
        {"kind": "merge", "from_branch_id": name, "from_seq": entry.seq}
        for name in others
        for entry in world.branches[name]
        if name != branch and entry.key not in inside
    ]
    return beyond[choice.key % len(beyond)] if beyond else None


def _notes(choice: Choice, world: World, branch: str, owner: str, name: str) -> Json:
    """A patch of one field, or of the block, on the newest version that the branch reads."""
    text = f"{TEXTS[choice.pick % len(TEXTS)]} {word(name)}"
    value = None if choice.pick % 6 == 0 else text
    patch = {"block": value} if choice.pick % 4 == 0 else {"fields": {f"field {choice.key % 3}": value}}
    version = len(world.notes(branch, owner))
    return {"kind": "working_memory", "participant_id": owner, "expected_version": version, **patch}


def _release(choice: Choice, lineage: Sequence[Entry], owner: str, name: str) -> Json:
    own = [entry for entry in lineage if entry.owner == owner]
    messages = [entry.id for entry in own if entry.kind == "message"]
    calls = [entry.id for entry in own if entry.kind == "tool_call"]
    event: Json = {"kind": "release", "participant_id": owner}
    event |= _given(
        message_ids=messages[-2:] if choice.pick % 3 == 0 else None,
        call_ids=calls[-2:] if choice.pick % 2 == 0 else None,
        to=["bo", "mia"] if choice.pick % 5 == 0 or owner != "scout" else None,
    )
    if choice.pick % 4 == 0:
        event |= {"outcome": "failed", "summary": f"it broke {word(name)}"}
    return event


def _given(**fields: Any) -> Json:
    """Without what is not given."""
    return {name: value for name, value in fields.items() if value}
