"""Random conversations: drawn as plain choices, and turned into events that the contract allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from reference.model import OPEN, Entry, World

Json = dict[str, Any]
BRANCHES_MAX = 5
SEATS: dict[str, Json] = {
    "mia": {"participant_kind": "human", "user_id": "user-mia"},
    "ada": {"participant_kind": "agent"},
    "bo": {"participant_kind": "agent"},
    "scout": {"participant_kind": "subagent", "parent_participant_id": "ada"},
}
AGENTS = ("ada", "bo", "scout")
VISIBILITIES = (None, None, None, "participant", "branch", "conversation", "audit")
CLASSES = (None, None, None, "public", "internal", "personal", "sensitive", "secret")
AGES_MIN = (None, None, 15, 45, 90)
FRESHNESS = (None, "volatile", "session", "time_limited", "durable", "permanent")
TEXTS = (
    "The invoice INV-2043 is due on 2026-04-02.",
    "Übergabe am Dienstag, Raum 7.",
    "漢字 and 😀 in one line",
    "nothing to add",
)


@dataclass(frozen=True)
class Choice:
    """One drawn step; indexes are taken modulo what there is."""

    kind: str
    branch: int
    seat: int
    visibility: str | None
    privacy: str | None
    shared: int
    pick: int


KINDS = (
    *("message",) * 5,
    *("call",) * 3,
    *("result",) * 4,
    *("fork",) * 2,
    *("pin", "unpin", "release", "release", "checkpoint", "run"),
)
choices = st.lists(
    st.builds(
        Choice,
        st.sampled_from(KINDS),
        st.integers(0, BRANCHES_MAX - 1),
        st.integers(0, len(SEATS) - 1),
        st.sampled_from(VISIBILITIES),
        st.sampled_from(CLASSES),
        st.integers(0, 2 ** len(SEATS) - 1),
        st.integers(0, 1_000),
    ),
    min_size=6,
    max_size=30,
)


def opening() -> list[Json]:
    """The conversation and its seats."""
    seats = [{"kind": "participant", "participant_id": name, **seat} for name, seat in SEATS.items()]
    return [{"kind": "conversation", "user_id": "user-mia"}, *seats]


def batches(drawn: Sequence[Choice], world: World, prefix: str, now: datetime) -> Iterator[tuple[str, Json]]:
    """`(branch, event)` for every choice that means something where it comes; `world` must be kept up to
    date by whoever records them."""
    for number, choice in enumerate(drawn):
        names = list(world.heads)
        branch = names[choice.branch % len(names)]
        event = _event(choice, world, branch, f"{prefix}-{number}", now)
        if event is not None:
            yield ("main" if event["kind"] == "fork" else branch), event


def _event(choice: Choice, world: World, branch: str, name: str, now: datetime) -> Json | None:
    lineage = world.branches.get(branch, [])
    seat = list(SEATS)[choice.seat]
    agent = AGENTS[choice.seat % len(AGENTS)]
    shared = [who for at, who in enumerate(SEATS) if choice.shared == 3 and at != choice.seat and at % 2]
    governed = _given(visibility=choice.visibility, privacy_class=choice.privacy, shared_with=shared)
    match choice.kind:
        case "message":
            role = "system" if choice.pick % 11 == 0 else "user" if seat == "mia" else "assistant"
            parts = [{"type": "text", "content": TEXTS[choice.pick % len(TEXTS)]}]
            said = {"kind": "message", "message_id": name, "participant_id": seat, "role": role}
            return {**said, "parts": parts, **governed}
        case "call":
            status = "deferred" if choice.pick % 5 == 0 else "pending"
            asked = {"kind": "tool_call", "call_id": name, "participant_id": agent, "call_status": status}
            return {**asked, "tool_name": "look_up", "arguments": {"key": choice.pick % 7}, **governed}
        case "result":
            return _result(choice, lineage, governed, now)
        case "fork":
            if len(world.heads) >= BRANCHES_MAX:
                return None
            at = 1 + choice.pick % world.heads[branch]
            return {"kind": "fork", "branch_id": name, "parent_branch_id": branch, "at_seq": at}
        case "pin":
            pin = {"kind": "pin", "pin_id": name, "participant_id": seat, "pin_kind": "decision"}
            return {**pin, "text": TEXTS[choice.pick % len(TEXTS)], **governed}
        case "unpin":
            pins = [entry.id for entry in lineage if entry.kind == "pin"]
            return {"kind": "unpin", "pin_id": pins[choice.pick % len(pins)]} if pins else None
        case "release":
            return _release(choice, lineage)
        case "checkpoint":
            return {"kind": "checkpoint", "checkpoint_id": name, "participant_id": agent}
        case _:
            return {"kind": "model_run", "run_id": name, "participant_id": agent}


def _result(choice: Choice, lineage: Sequence[Entry], governed: Json, now: datetime) -> Json | None:
    answered = {
        entry.id
        for entry in lineage
        if entry.kind in ("memory", "answer") and entry.event.get("call_status") not in OPEN
    }
    unanswered = [entry.id for entry in lineage if entry.kind == "call" and entry.id not in answered]
    if not unanswered:
        return None
    event = {"kind": "tool_result", "call_id": unanswered[choice.pick % len(unanswered)], **governed}
    if choice.pick % 9 == 0:
        return {**event, "call_status": "cancelled"}
    if choice.pick % 7 == 0:
        return {**event, "call_status": "failed", "error": "503 try later"}
    age = AGES_MIN[choice.pick % len(AGES_MIN)]
    stale = None if age is None else now + timedelta(minutes=age)
    found = {"key": choice.pick % 7, "state": "open", "amount": choice.pick}
    return {
        **event,
        "result": found,
        **_given(freshness=FRESHNESS[choice.seat + choice.pick % 3], stale_after=stale),
    }


def _release(choice: Choice, lineage: Sequence[Entry]) -> Json:
    own = [entry for entry in lineage if entry.owner == "scout"]
    messages = [entry.id for entry in own if entry.kind == "message"]
    calls = [entry.id for entry in own if entry.kind == "call"]
    event: Json = {"kind": "release", "participant_id": "scout"}
    event |= _given(
        message_ids=messages[:1] if choice.pick % 3 == 0 else None,
        call_ids=calls[:2] if choice.pick % 2 == 0 else None,
        to=["bo"] if choice.pick % 5 == 0 else None,
    )
    if choice.pick % 4 == 0:
        event |= {"outcome": "failed", "summary": "it broke"}
    return event


def _given(**fields: Any) -> Json:
    """Without what is not given."""
    return {name: value for name, value in fields.items() if value}
