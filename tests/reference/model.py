"""A naive record of a conversation, written from the specification and not from the service.

A branch is a list of entries; a fork is a copy of the front of its parent's list. Nothing is indexed,
narrowed, cached or clever. `reference.asking` says what of it may enter a context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""`(kind, client id, branch where it was recorded)`; what has no client id is named by its seq."""

CLASSES = ("public", "internal", "personal", "sensitive", "secret")
SCOPES = ("conversation", "branch", "participant", "audit")
OPEN = ("pending", "deferred")


@dataclass(frozen=True)
class Entry:
    """One thing that was recorded, with everything that decides who may see it.

    Kinds are those of events, except that a result is a `memory`, or an `answer` where it leaves none.
    """

    kind: str
    id: str
    branch: str
    seq: int
    event: Json
    owner: str
    visibility: str
    privacy: str
    shared_with: tuple[str, ...]
    recorded_at: datetime
    pinned: Entry | None = None

    @cached_property
    def key(self) -> Key:
        """Its name."""
        return (self.kind, self.id, self.branch)


@dataclass
class World:
    """One conversation: its seats by id, and its branches."""

    seats: dict[str, Json] = field(default_factory=dict)
    branches: dict[str, list[Entry]] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)

    def record(self, branch: str, events: Sequence[Json], now: datetime) -> None:
        """Append a batch to a branch."""
        for event in events:
            seq = self.heads.get(branch, 0) + 1
            self.heads[branch] = seq
            entries = self.branches.setdefault(branch, [])
            match event["kind"]:
                case "conversation":
                    pass
                case "participant":
                    self.seats[event["participant_id"]] = event
                case "fork":
                    self._fork(event)
                case "tool_result":
                    entries.append(self._result(branch, seq, event, now))
                case "message":
                    entries.append(self._message(branch, seq, event, now))
                    self._tools_of(branch, seq, event, now)
                case "pin":
                    entries.append(self._pin(branch, seq, event, now))
                case "working_memory":
                    entries.append(self._runtime(branch, seq, self._noted(branch, event), now))
                case _:
                    entries.append(self._runtime(branch, seq, event, now))

    def said(self, branch: str) -> dict[str, Entry]:
        """Messages that a branch reads, by id."""
        return {e.id: e for e in self.branches[branch] if e.kind == "message"}

    def _fork(self, event: Json) -> None:
        parent = event.get("parent_branch_id", "main")
        head = self.heads[parent] - (1 if parent == "main" else 0)  # the fork itself stands on main
        cut = event.get("at_seq") or head
        if event.get("at_message_id"):
            cut = self.said(parent)[event["at_message_id"]].seq
        self.branches[event["branch_id"]] = [e for e in self.branches[parent] if e.seq <= cut]
        self.heads[event["branch_id"]] = cut

    def _message(self, branch: str, seq: int, event: Json, now: datetime) -> Entry:
        """People's words are personal; a subagent's, and those to named seats, are not for the branch."""
        owner, shared = event["participant_id"], tuple(event.get("shared_with", ()))
        seat = self.seats[owner]["participant_kind"]
        default = "participant" if shared or seat == "subagent" else "branch"
        privacy = strictest("personal" if seat == "human" else "internal", event.get("privacy_class"))
        visibility = event.get("visibility") or default
        return Entry(
            "message", event["message_id"], branch, seq, event, owner, visibility, privacy, shared, now
        )

    def _tools_of(self, branch: str, seq: int, event: Json, now: datetime) -> None:
        """Calls and answers in a message are their participant's, or as private as the message."""
        of_message = {name: event[name] for name in ("privacy_class", "occurred_at") if name in event}
        for part in event["parts"]:
            if part["type"] == "tool_call":
                call = {**of_message, "kind": "tool_call", "call_id": part["id"]}
                call |= {"participant_id": event["participant_id"], "arguments": part["arguments"]}
                call |= {"shared_with": event.get("shared_with", ())}
                call |= {"visibility": narrowest("participant", event.get("visibility"))}
                self.branches[branch].append(self._runtime(branch, seq, call, now))
            elif part["type"] == "tool_call_response":
                answer = {**of_message, "kind": "tool_result", "call_id": part["id"]}
                answer |= {"visibility": event.get("visibility"), "result": part["response"]}
                self.branches[branch].append(self._result(branch, seq, answer, now))

    def _pin(self, branch: str, seq: int, event: Json, now: datetime) -> Entry:
        """For the branch; on a message, never wider or milder than that message."""
        visibility, privacy = event.get("visibility") or "branch", event.get("privacy_class")
        privacy = strictest("internal", privacy)
        pinned = self.said(branch)[event["message_id"]] if event.get("message_id") else None
        if pinned is not None:
            visibility, privacy = narrowest(visibility, pinned.visibility), strictest(privacy, pinned.privacy)
        shared = tuple(event.get("shared_with", ()))
        owner = event["participant_id"]
        return Entry(
            "pin", event["pin_id"], branch, seq, event, owner, visibility, privacy, shared, now, pinned
        )

    def notes(self, branch: str, owner: str) -> list[Entry]:
        """The versions of a seat's working memory that a branch reads."""
        return [e for e in self.branches.get(branch, []) if e.kind == "working_memory" and e.owner == owner]

    def _noted(self, branch: str, event: Json) -> Json:
        """A patch with the working memory after it: fields by name, and the block under None. What still
        holds something is never wider or milder than it was."""
        before = self.notes(branch, event["participant_id"])[-1:]
        held: Json = before[0].event["noted"] if before else {}
        patch = event["fields"] if "fields" in event else {None: event["block"]}
        noted = {name: value for name, value in {**held, **patch}.items() if value is not None}
        if not held:
            return {**event, "noted": noted}
        visibility = narrowest(event.get("visibility") or "participant", before[0].visibility)
        privacy = strictest(before[0].privacy, event.get("privacy_class"))
        return {**event, "noted": noted, "visibility": visibility, "privacy_class": privacy}

    def _runtime(self, branch: str, seq: int, event: Json, now: datetime) -> Entry:
        """Calls, runs and state: internal, and their participant's."""
        kind = str(event["kind"])
        named = {"tool_call": "call_id", "unpin": "pin_id", "checkpoint": "checkpoint_id"}.get(kind)
        return Entry(
            kind,
            str(event[named]) if named else str(seq),
            branch,
            seq,
            event,
            str(event.get("participant_id", "")),
            event.get("visibility") or "participant",
            strictest("internal", event.get("privacy_class")),
            tuple(event.get("shared_with", ())),
            now,
        )

    def _result(self, branch: str, seq: int, event: Json, now: datetime) -> Entry:
        """Its call's participant's, never wider or milder than the call."""
        call = next(e for e in self.branches[branch] if e.kind == "tool_call" and e.id == event["call_id"])
        status = event.get("call_status", "executed")
        return Entry(
            "memory" if status in ("executed", "failed") else "answer",
            call.id,
            branch,
            seq,
            {"observed_at": event.get("occurred_at") or now, **event, "call_status": status},
            call.owner,
            narrowest(call.visibility, event.get("visibility")),
            strictest(call.privacy, event.get("privacy_class")),
            (*call.shared_with, *event.get("shared_with", ())),
            now,
        )


def strictest(*classes: str | None) -> str:
    """The most sensitive of several classes; None says nothing."""
    return max((one for one in classes if one), key=CLASSES.index)


def narrowest(first: str, second: str | None) -> str:
    """The tighter of two visibilities; None says nothing."""
    return max((one for one in (first, second) if one), key=SCOPES.index)
