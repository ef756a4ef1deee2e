"""What of a recorded conversation may enter a context: every rule is one `if` over one entry.

Ranking, budgets and the replacement of older memories are not here: they choose among what may enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reference.model import OPEN, SCOPES, Entry, Json, Key, World

ITEMS = ("message", "memory", "tool_call", "pin", "skill_state", "working_memory", "checkpoint", "release")
"""Kinds of entries that can enter."""
HINTED = ("stale_volatile", "expired", "privacy_class_barred")
"""A memory that stays out for these may be named with its tool, to be asked again."""


@dataclass
class Asking:
    """A seat that asks on a branch, for a provider's route, in a runtime mode, at a time."""

    world: World
    asker: str
    branch: str
    route: Json
    mode: str
    now: datetime

    def __post_init__(self) -> None:
        self.lineage = self.world.branches[self.branch]
        self.inside = {e.key for e in self.lineage}
        own = [e for e in self.lineage if e.owner == self.asker]
        recorded = [e for branch in self.world.branches.values() for e in branch]
        takes_up = {e.event["run_id"] for e in recorded if e.kind == "resume"}
        runs = [e for e in own if e.kind == "model_run" and e.event["run_id"] not in takes_up]
        replies = [e for e in own if e.kind == "message" and e.event["role"] == "assistant"]
        self.run_seq = max((e.seq for e in runs), default=0)
        self.seen_seq = max((e.seq for e in (*runs, *replies)), default=0)
        self.state = {e.kind: e for e in own if e.kind in ("skill_state", "checkpoint")}
        said = [e for e in self.lineage if e.kind == "message"]
        people = [e for e in said if self.world.seats[e.owner]["participant_kind"] == "human"]
        self.turn = people[-1] if people else None
        self.mark = self.state.get("checkpoint") if self.mode == "continuation" else None
        notes = self.world.notes(self.branch, self.asker)
        self.noted = [e for e in notes if self.mark is None or e.seq < self.mark.seq][-1:]
        self.results = [e for e in self.lineage if e.kind in ("memory", "answer")]
        self.unpinned = {e.id for e in self.lineage if e.kind == "unpin"}
        self.released = self._released()
        self.merged = self._merged()

    def verdicts(self) -> dict[Key, str | None]:
        """Every entry of the conversation, with None where it may enter, else why not."""
        told: dict[Key, str | None] = {}
        for entries in (self.lineage, *self.world.branches.values()):
            for entry in entries:
                if entry.kind in ITEMS and entry.key not in told:
                    told[entry.key] = self._verdict(entry)
        return told

    def elsewhere(self) -> list[Entry]:
        """Entries of other branches."""
        others = {e.key: e for branch in self.world.branches.values() for e in branch}
        return [e for e in others.values() if e.key not in self.inside]

    def raw(self, memory: Entry) -> bool:
        """Whether a memory's exact result may enter: a release lets out the memory alone."""
        return (
            self._hidden(memory, given=memory.owner == self.asker or self.asker in memory.shared_with) is None
        )

    def _verdict(self, entry: Entry) -> str | None:
        if entry.key not in self.inside:
            wide = entry.visibility == "conversation" or self.asker in entry.shared_with
            wide = wide or entry.key in self.merged
            if entry.kind not in ("message", "memory") or not wide:
                return "not_in_lineage"
        match entry.kind:
            case "message":
                return self._message(entry)
            case "memory":
                return self._late(entry) or self._barred(entry) or self._aged(entry.event)
            case "tool_call":
                return self._call(entry)
            case "pin":
                return self._pin(entry)
            case "release":
                return self._failure(entry)
            case "working_memory":
                return self._notes(entry)
            case _:
                return self._state(entry)

    def _message(self, entry: Entry) -> str | None:
        owned = entry.owner == self.asker or entry.key in self.released
        hidden = self._hidden(entry, given=owned or self.asker in entry.shared_with)
        if hidden is not None:
            return hidden
        answer = entry.event["role"] == "assistant"
        if self.mode == "multi_model" and answer and not owned and self._after(entry, self.turn):
            return "parallel_turn"
        refused = self._late(entry) or self._barred(entry)
        if refused is not None or entry.event["role"] == "system":
            return refused or "rules_from_configuration"
        return None if any(part["type"] == "text" for part in entry.event["parts"]) else "says_nothing"

    def _call(self, call: Entry) -> str | None:
        """Open, or answered and not seen by a run yet: then it is governed as its result is. A deferral shows
        nothing but that it is one."""
        if call.owner != self.asker:
            return "not_the_askers_call"
        results = [e for e in self.results if e.id == call.id and e.event["call_status"] not in OPEN]
        if results and results[0].seq <= self.seen_seq:
            return "answered"
        return self._barred(results[0] if results else call)

    def _pin(self, pin: Entry) -> str | None:
        """A pin shows its message: who may not see that one does not see it here either."""
        if pin.id in self.unpinned:
            return "unpinned"
        return self._barred(pin) or (None if pin.pinned is None else self._barred(pin.pinned))

    def _failure(self, release: Entry) -> str | None:
        if release.event.get("outcome", "completed") == "completed":
            return "completed"
        if self.asker not in self._receivers(release):
            return "not_told"
        return None if release.seq > self.run_seq else "seen"

    def _state(self, entry: Entry) -> str | None:
        if self.state.get(entry.kind) is not entry:
            return "not_the_askers_newest"
        if entry.kind == "checkpoint" and self.mode != "continuation":
            return "no_continuation"
        return self._barred(entry)

    def _notes(self, entry: Entry) -> str | None:
        """The asker's newest, or with a checkpoint what it had noted down there."""
        if entry not in self.noted:
            return "not_the_askers_newest"
        return self._barred(entry) if any(entry.event["noted"].values()) else "says_nothing"

    # -- single rules

    def _barred(self, entry: Entry) -> str | None:
        """Visibility, a subagent's isolation, and privacy."""
        given = entry.owner == self.asker or entry.key in self.released or self.asker in entry.shared_with
        hidden = self._hidden(entry, given)
        if hidden is not None:
            return hidden
        subagent = self.world.seats[self.asker]["participant_kind"] == "subagent"
        if subagent and not given and entry.visibility == "branch":
            return "isolated_from_subagent"
        return None if may_go(entry.privacy, self.route) else "privacy_class_barred"

    def _hidden(self, entry: Entry, given: bool) -> str | None:
        if entry.visibility == "audit" or entry.visibility not in SCOPES:
            return "audit_only"
        return "private_to_other" if entry.visibility == "participant" and not given else None

    def _late(self, entry: Entry) -> str | None:
        """A continuation sees what stood at its checkpoint, what is its own, and what was released since."""
        own = entry.owner == self.asker or entry.key in self.released
        given = own or self.asker in entry.shared_with
        if self.mark is None or own or self._hidden(entry, given):
            return None
        return "after_checkpoint" if self._after(entry, self.mark) else None

    def _after(self, entry: Entry, mark: Entry | None) -> bool:
        """Later in the lineage; elsewhere places say nothing, so not recorded before it."""
        if mark is None:
            return True
        if entry.key in self.inside:
            return entry.seq > mark.seq
        return entry.recorded_at >= mark.recorded_at

    def _aged(self, event: Json) -> str | None:
        stale = event.get("stale_after")
        if stale is None or self.now < stale:
            return None
        freshness = event.get("freshness", "time_limited")
        if freshness == "volatile":
            return "stale_volatile"
        if freshness == "time_limited" and self.now - stale >= stale - event["observed_at"]:
            return "expired"
        return None

    def _receivers(self, release: Entry) -> list[str]:
        """Those it names, or else its participant's parent."""
        parent = self.world.seats[release.owner].get("parent_participant_id")
        return list(release.event.get("to") or [parent])

    def _merged(self) -> set[Key]:
        """What merges of the lineage show of other branches."""
        merges = [e.event for e in self.lineage if e.kind == "merge"]
        return {
            e.key
            for merge in merges
            for e in self.world.branches[merge["from_branch_id"]]
            if e.seq <= merge["from_seq"]
        }

    def _released(self) -> set[Key]:
        """What releases of the lineage let the asker see: what they name, or the last words of who ended."""
        out: set[Key] = set()
        for release in (e for e in self.lineage if e.kind == "release"):
            if self.asker not in self._receivers(release):
                continue
            before = [e for e in self.lineage if e.seq < release.seq and e.owner == release.owner]
            messages, calls = release.event.get("message_ids", ()), release.event.get("call_ids", ())
            out |= {e.key for e in before if e.kind == "message" and e.id in messages}
            out |= {e.key for e in before if e.kind == "memory" and e.id in calls}
            if not messages and not calls and release.event.get("outcome", "completed") == "completed":
                out |= {e.key for e in [e for e in before if e.kind == "message"][-1:]}
        return out


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
