"""A naive statement of what may enter a context, written from the specification and not from the service.

A branch is a list of entries; a fork is a copy of the front of its parent's list. Nothing is indexed,
narrowed, cached or clever: every rule is one `if` over one entry. Ranking, budgets and the replacement of
older memories are not here: they choose among what may enter, and this says what may.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""`(kind, client id, branch where it was recorded)`; kinds are message, memory, call and pin."""

CLASSES = ("public", "internal", "personal", "sensitive", "secret")
SCOPES = ("conversation", "branch", "participant", "audit")
OPEN = ("pending", "deferred")


@dataclass
class Entry:
    """One thing that was recorded, with everything that decides who may see it."""

    kind: str
    id: str
    branch: str
    seq: int
    event: Json
    owner: str
    visibility: str
    privacy: str
    shared_with: tuple[str, ...]

    @property
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
                case "participant":
                    self.seats[event["participant_id"]] = event
                case "fork":
                    self._fork(event)
                case "tool_result":
                    entries.append(self._memory(branch, seq, event, now))
                case "conversation":
                    pass
                case _:
                    entries.append(self._plain(branch, seq, event))

    def _fork(self, event: Json) -> None:
        parent = event.get("parent_branch_id", "main")
        cut = event.get("at_seq") or self.heads[parent]
        if event.get("at_message_id"):
            cut = next(e.seq for e in self.branches[parent] if e.id == event["at_message_id"])
        self.branches[event["branch_id"]] = [e for e in self.branches[parent] if e.seq <= cut]
        self.heads[event["branch_id"]] = cut

    def _plain(self, branch: str, seq: int, event: Json) -> Entry:
        kind = str(event["kind"])
        owner = str(event.get("participant_id", ""))
        shared = tuple(event.get("shared_with", ()))
        seat = self.seats.get(owner, {}).get("participant_kind")
        visibility, privacy = "participant", "internal"
        if kind == "message":
            visibility = "participant" if shared or seat == "subagent" else "branch"
            privacy = "personal" if seat == "human" else "internal"
        elif kind == "pin":
            visibility = "branch"
            if event.get("message_id"):
                said = next(e for e in self.branches[branch] if e.id == event["message_id"])
                visibility = narrowest(visibility, said.visibility)
                privacy = strictest(privacy, said.privacy)
        name = "call" if kind == "tool_call" else kind
        named = "pin_id" if kind == "unpin" else f"{name}_id"
        return Entry(
            name,
            str(event.get(named, seq)),
            branch,
            seq,
            event,
            owner,
            narrowest(visibility, event.get("visibility"))
            if event.get("message_id") and kind == "pin"
            else str(event.get("visibility") or visibility),
            strictest(privacy, event.get("privacy_class")),
            shared,
        )

    def _memory(self, branch: str, seq: int, event: Json, now: datetime) -> Entry:
        call = next(e for e in self.branches[branch] if e.kind == "call" and e.id == event["call_id"])
        status = event.get("call_status", "executed")
        return Entry(
            {"executed": "memory", "failed": "memory"}.get(status, "answer"),
            call.id,
            branch,
            seq,
            {"observed_at": event.get("occurred_at") or now, **event, "call_status": status},
            call.owner,
            narrowest(call.visibility, event.get("visibility")),
            strictest(call.privacy, event.get("privacy_class")),
            tuple(sorted({*call.shared_with, *event.get("shared_with", ())})),
        )

    # -- what may enter

    def verdicts(
        self, asker: str, branch: str, route: Json, mode: str, now: datetime
    ) -> dict[Key, str | None]:
        """Every entry of the conversation, with None where it may enter, else why not."""
        lineage = self.branches[branch]
        inside = {e.key for e in lineage}
        told: dict[Key, str | None] = {}
        for entry in lineage:
            if entry.kind in ("message", "memory", "call", "pin"):
                told[entry.key] = self._verdict(entry, asker, branch, route, mode, now)
        for entries in self.branches.values():
            for entry in entries:
                if entry.key in inside or entry.kind not in ("message", "memory", "call", "pin"):
                    continue
                wide = entry.kind in ("message", "memory") and (
                    entry.visibility == "conversation" or asker in entry.shared_with
                )
                outside = self._verdict(entry, asker, branch, route, mode, now) if wide else "not_in_lineage"
                told[entry.key] = outside
        return told

    def _verdict(
        self, entry: Entry, asker: str, branch: str, route: Json, mode: str, now: datetime
    ) -> str | None:
        lineage = self.branches[branch]
        own = entry.owner == asker
        released = self._released(entry, asker, lineage)
        subagent = self.seats[asker]["participant_kind"] == "subagent"
        if entry.kind == "call":
            if not own:
                return "not_the_askers_call"
            if any(e.kind in ("memory", "answer") and e.id == entry.id and not _open(e) for e in lineage):
                return "answered"
            late = [e for e in lineage if e.kind == "answer" and e.id == entry.id]
            entry = late[-1] if late else entry
        if entry.kind == "pin" and self._unpinned(entry, lineage):
            return "unpinned"
        given = own or released or asker in entry.shared_with
        if entry.visibility == "audit" or entry.visibility not in SCOPES:
            return "audit_only"
        if entry.visibility == "participant" and not given:
            return "private_to_other"
        if entry.kind == "message" and not own and not released:
            people = [
                e.seq
                for e in lineage
                if e.kind == "message" and self.seats[e.owner]["participant_kind"] == "human"
            ]
            if (
                mode == "multi_model"
                and entry.event["role"] == "assistant"
                and entry.seq > max(people, default=0)
            ):
                return "parallel_turn"
        if mode == "continuation" and not own and not released and entry.kind in ("message", "memory"):
            marks = [e.seq for e in lineage if e.kind == "checkpoint" and e.owner == asker]
            if marks and entry.seq > max(marks):
                return "after_checkpoint"
        if subagent and not given and entry.visibility == "branch":
            return "isolated_from_subagent"
        if not may_go(entry.privacy, route):
            return "privacy_class_barred"
        if entry.kind == "memory":
            return _aged(entry.event, now)
        if entry.kind == "message" and entry.event["role"] == "system":
            return "rules_from_configuration"
        return None

    def _released(self, entry: Entry, asker: str, lineage: Sequence[Entry]) -> bool:
        for release in (e for e in lineage if e.kind == "release" and e.owner == entry.owner):
            said = release.event
            parent = self.seats[entry.owner].get("parent_participant_id")
            if asker not in (said.get("to") or [parent]) or entry.seq > release.seq:
                continue
            if entry.kind == "message" and entry.id in said.get("message_ids", ()):
                return True
            if entry.kind == "memory" and entry.id in said.get("call_ids", ()):
                return True
            named = said.get("message_ids") or said.get("call_ids")
            if entry.kind == "message" and not named and said.get("outcome", "completed") == "completed":
                spoken = [
                    e
                    for e in lineage
                    if e.kind == "message" and e.owner == entry.owner and e.seq < release.seq
                ]
                if spoken[-1:] == [entry]:
                    return True
        return False

    def _unpinned(self, pin: Entry, lineage: Sequence[Entry]) -> bool:
        return any(e.kind == "unpin" and e.id == pin.id for e in lineage)


def may_go(privacy: str, route: Json) -> bool:
    """Whether a provider's promises suffice for a class; an unknown class goes nowhere."""
    local = bool(route.get("local"))
    untrained = local or not route.get("trains_on_data", True)
    if privacy == "public":
        return True
    if privacy in ("internal", "personal"):
        return untrained
    if privacy == "sensitive":
        return local or (untrained and bool(route.get("zero_data_retention")))
    return privacy == "secret" and local


def strictest(*classes: str | None) -> str:
    """The most sensitive of several classes; None says nothing."""
    return max((one for one in classes if one), key=CLASSES.index)


def narrowest(first: str, second: str | None) -> str:
    """The tighter of two visibilities; None says nothing."""
    return max((one for one in (first, second) if one), key=SCOPES.index)


def _open(entry: Entry) -> bool:
    return entry.event.get("call_status") in OPEN


def _aged(event: Json, now: datetime) -> str | None:
    stale = event.get("stale_after")
    if stale is None or now < stale:
        return None
    freshness = event.get("freshness", "time_limited")
    if freshness == "volatile":
        return "stale_volatile"
    if freshness == "time_limited" and now - stale >= stale - event["observed_at"]:
        return "expired"
    return None
