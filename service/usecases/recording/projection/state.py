"""What is neither talk nor tool: pins, loaded skills, checkpoints, and what subagents release."""

from __future__ import annotations

from service.errors import IdTaken, InvalidRequest, UnknownReference
from service.ids import new_uid
from service.model.events import (
    CheckpointEvent,
    Governed,
    PinEvent,
    ReleaseEvent,
    SkillStateEvent,
    UnpinEvent,
)
from service.model.vocabulary import Outcome, PrivacyClass, Visibility
from service.policies import classification
from service.usecases.recording.projection.rows import Row
from service.usecases.recording.projection.tools import ToolProjection

BEYOND_ALL = 2**62
"""A seq that none has."""
NOTHING = (0, 0)
"""What these kinds add to the transcript."""


class StateProjection(ToolProjection):
    """Projects `pin`, `unpin`, `skill_state`, `checkpoint` and `release`."""

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
            said = self._known.message_places[event.message_id]
            row |= {
                "visibility": classification.narrowest(
                    Visibility(said["visibility"]), Visibility(row["visibility"])
                ).value,
                "privacy_class": PrivacyClass.strictest(
                    PrivacyClass(said["privacy_class"]), PrivacyClass(row["privacy_class"])
                ).value,
            }
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
            "pending_call_ids": event.pending_call_ids,
            "child_participant_uids": children,
            "budgets": [f"{name}={amount}" for name, amount in sorted(event.budgets.items())],
            **self._governed(event),
        }
        self.rows.checkpoints.append(row)
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
