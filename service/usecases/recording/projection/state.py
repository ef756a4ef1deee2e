"""What is neither talk nor tool: pins, loaded skills, working memory, checkpoints, and what subagents
release."""

from __future__ import annotations

import json

from service.errors import Conflict, IdTaken, InvalidRequest, UnknownReference, VersionMoved
from service.ids import new_uid
from service.model.chain import canonical
from service.model.events import (
    MEMORY_FIELDS_MAX,
    CheckpointEvent,
    Governed,
    PinEvent,
    ReleaseEvent,
    ResumeEvent,
    SkillStateEvent,
    UnpinEvent,
    WorkingMemoryEvent,
)
from service.model.policy_settings import WorkingMemorySettings
from service.model.vocabulary import Outcome, PrivacyClass, Visibility
from service.policies import classification
from service.text.notes import noted_lines
from service.usecases.recording.projection.rows import Row
from service.usecases.recording.projection.tools import ToolProjection

BEYOND_ALL = 2**62
"""A seq that none has."""
NOTHING = (0, 0)
"""What these kinds add to the transcript."""
EMPTY_MEMORY: Row = {"version": 0, "fields": "{}", "block": None}


class StateProjection(ToolProjection):
    """Projects `pin`, `unpin`, `skill_state`, `working_memory`, `checkpoint`, `resume` and `release`."""

    def _pin(self, event: PinEvent) -> tuple[int, int]:
        if event.pin_id in self._known.pins:
            raise IdTaken(f"{self._at}.pin_id")
        message_uid = self._known.messages.get(event.message_id) if event.message_id else None
        if event.message_id and message_uid is None:
            raise UnknownReference(f"{self._at}.message_id")
        row = {
            **self._place(),
            "pin_id": event.pin_id,
            "pin_kind": event.pin_kind.value,
            "text": event.text,
            "tokens": None if event.text is None else self._count(event.text),
            "message_uid": message_uid,
            "run_uid": None,
            **self._governed(event, shared=True),
        }
        if event.message_id:
            row |= _narrowed(self._known.message_places[event.message_id], row)
        self._known.pins[event.pin_id] = row["uid"]
        self.rows.pins.append(row)
        return NOTHING

    def _unpin(self, event: UnpinEvent) -> tuple[int, int]:
        pin_uid = self._known.pins.get(event.pin_id)
        if pin_uid is None:
            raise UnknownReference(f"{self._at}.pin_id")
        self.rows.unpins.append(
            {"pin_uid": pin_uid, "branch_ref": self._known.branch_ref, "offset": self._offset}
        )
        return NOTHING

    def _skill_state(self, event: SkillStateEvent) -> tuple[int, int]:
        row = {
            **self._place(),
            "skills": event.skills,
            "profiles": event.profiles,
            "direct_tools": event.direct_tools,
            "integrations": event.integrations,
            **self._governed(event),
        }
        self.rows.skill_states.append(row)
        return NOTHING

    def _working_memory(self, event: WorkingMemoryEvent) -> tuple[int, int]:
        owner = self._participant_row(event.participant_id, "participant_id")
        settings = self._known.configuration.profile_of(owner["agent"] or event.participant_id).working_memory
        standing = self._known.working_memories.get(owner["uid"], EMPTY_MEMORY)
        before = json.loads(standing["fields"])
        fields, block = before, event.block
        if event.fields is not None:
            patched = {**before, **event.fields}
            fields, block = {n: v for n, v in patched.items() if v is not None}, standing["block"]
        at = f"{self._at}.{'block' if event.fields is None else 'fields'}"
        tokens = self._count(noted_lines(fields.items(), block))
        if problem := _refusal(event, settings, len(fields), tokens):
            raise InvalidRequest([{"location": at, "problem": problem}])
        if event.expected_version != standing["version"]:
            raise VersionMoved(f"{self._at}.expected_version", standing["version"])
        row = {
            **self._place(),
            "version": event.expected_version + 1,
            "fields": canonical(fields),
            "block": block,
            "tokens": tokens,
            **self._governed(event),
        }
        if before or standing["block"] is not None:
            subjects = {*standing["subject_uids"], *row["subject_uids"]}
            row |= {**_narrowed(standing, row), "subject_uids": sorted(subjects)}
        self._known.working_memories[owner["uid"]] = row
        self.rows.working_memories.append(row)
        return NOTHING

    def _checkpoint(self, event: CheckpointEvent) -> tuple[int, int]:
        for number, call_id in enumerate(event.pending_call_ids):
            call = self._known.calls.get(call_id)
            if call is None or not self._in_lineage(call):
                raise UnknownReference(f"{self._at}.pending_call_ids[{number}]")
        children = [
            self._participant_row(one, "child_participant_ids")["uid"] for one in event.child_participant_ids
        ]
        row = {
            **self._place(),
            "checkpoint_id": event.checkpoint_id,
            "run_uid": self._run_uid(event.run_id),
            "parent_run_uid": self._run_uid(event.parent_run_id, "parent_run_id"),
            "pending_call_ids": event.pending_call_ids,
            "child_participant_uids": children,
            "budgets": [f"{name}={amount}" for name, amount in sorted(event.budgets.items())],
            **self._governed(event),
        }
        self._known.checkpoints[event.checkpoint_id] = row
        self.rows.checkpoints.append(row)
        return NOTHING

    def _resume(self, event: ResumeEvent) -> tuple[int, int]:
        owner = self._participant_row(event.participant_id, "participant_id")
        checkpoint = self._known.checkpoints.get(event.checkpoint_id)
        if checkpoint is None or checkpoint["participant_uid"] != owner["uid"]:
            raise UnknownReference(f"{self._at}.checkpoint_id")
        own = (run for run in self.rows.runs if run["participant_uid"] == owner["uid"])
        run = next((one for one in own if one["run_id"] == event.run_id), None)
        if run is None or "checkpoint_uid" in run:
            problem = "must name a run that its participant has in this batch and that takes up nothing else"
            raise InvalidRequest([{"location": f"{self._at}.run_id", "problem": problem}])
        now = {one.get("checkpoint_uid") for one in self.rows.runs}
        if checkpoint.get("resumed") or checkpoint["uid"] in now:
            raise Conflict(f"The checkpoint at {self._at}.checkpoint_id was taken up on this branch already.")
        run["checkpoint_uid"] = checkpoint["uid"]
        return NOTHING

    def _release(self, event: ReleaseEvent) -> tuple[int, int]:
        child = self._participant_row(event.participant_id, "participant_id")
        parent_uid = child.get("parent_participant_uid")
        to = self._participant_uids(event.to) or ([str(parent_uid)] if parent_uid else [])
        if not to:
            raise InvalidRequest(
                [{"location": f"{self._at}.to", "problem": "is needed: this participant has no parent"}]
            )
        named = bool(event.message_ids or event.call_ids)
        properties: Row = {
            "uid": new_uid(),
            "conversation_uid": self._known.conversation_uid,
            "branch_ref": self._known.branch_ref,
            "policy": "release",
            "participant_uid": child["uid"],
            "to_uids": to,
            "outcome": event.outcome.value,
            "summary": event.summary,
            "tokens": self._count(event.summary or ""),
            "decided_at": self._now,
        }
        self.rows.releases.append(
            {
                "offset": self._offset,
                "properties": properties,
                "message_uids": self._own(
                    child, event.message_ids, self._known.message_places, "message_ids"
                ),
                "call_uids": self._own(child, event.call_ids, self._known.calls, "call_ids"),
                "last_words": event.outcome is Outcome.COMPLETED and not named,
                "stretches": self._stretches(),
            }
        )
        return NOTHING

    def _stretches(self) -> list[Row]:
        """The lineage with what this batch adds to it."""
        own: Row = {"branch_ref": self._known.branch_ref, "floor": 0, "ceiling": BEYOND_ALL}
        known = self._known.lineage.parameters()
        return [own, *(s for s in known if s["branch_ref"] != self._known.branch_ref)]

    def _own(self, child: Row, ids: list[str], known: dict[str, Row], field: str) -> list[str]:
        """Uids of what a release names: the subagent's own items, in this lineage."""
        uids = []
        for number, one in enumerate(ids):
            row = known.get(one)
            if row is None or row["participant_uid"] != child["uid"] or not self._in_lineage(row):
                raise UnknownReference(f"{self._at}.{field}[{number}]")
            uids.append(str(row["uid"]))
        return uids

    def _governed(self, event: Governed, shared: bool = False) -> Row:
        """Ownership and classes; `shared` items are the branch's, others their participant's."""
        owner = self._participant_row(event.participant_id, "participant_id")
        asked = event.visibility
        visibility = (
            classification.branch_visibility(asked) if shared else classification.runtime_visibility(asked)
        )
        return {
            "visibility": visibility.value,
            "privacy_class": classification.tool_privacy(event.privacy_class).value,
            **self._owned(event, owner),
        }


def _narrowed(held: Row, row: Row) -> Row:
    """Visibility and class of an item that holds what another one does: never wider or milder than that."""
    return {
        "visibility": classification.narrowest(
            Visibility(held["visibility"]), Visibility(row["visibility"])
        ).value,
        "privacy_class": PrivacyClass.strictest(
            PrivacyClass(held["privacy_class"]), PrivacyClass(row["privacy_class"])
        ).value,
    }


def _refusal(
    event: WorkingMemoryEvent, settings: WorkingMemorySettings, fields: int, tokens: int
) -> str | None:
    """Why a participant may not note this down; None where it may."""
    if not settings.enabled:
        return "the agent's profile keeps no working memory"
    if settings.fields is not None and event.fields is None:
        return "the agent's template has fields and no block"
    if settings.fields is not None and any(name not in settings.fields for name in event.fields or ()):
        return "names a field that the agent's template does not have"
    if fields > MEMORY_FIELDS_MAX:
        return f"the memory would have {fields} fields, at most {MEMORY_FIELDS_MAX} are kept"
    if tokens > settings.tokens_max:
        return f"the memory would cost {tokens} tokens, at most {settings.tokens_max} are kept"
    return None
