"""Tool calls and results: the artifact is captured first, whole; the memory is distilled from it."""

from __future__ import annotations

import json

from service.errors import Conflict, IdTaken, UnknownReference
from service.ids import new_uid
from service.model.events import NAME_CHARS_MAX, ToolCallEvent, ToolResultEvent
from service.model.vocabulary import CallStatus, PrivacyClass, Visibility
from service.policies import classification
from service.text import fence
from service.text.distil import distil
from service.text.distil.limits import SOURCE
from service.text.distil.values import unicode_text
from service.text.notes import POINTER_ROOM, headline_line, record_line
from service.usecases.recording.projection.base import ProjectionBase, as_text
from service.usecases.recording.projection.rows import UNRESOLVED, Row

GOVERNED = ("visibility", "privacy_class", "shared_with", "subject_uids")
PARAMETERS_MAX = 64


class ToolProjection(ProjectionBase):
    """Projects `tool_call` and `tool_result`; each answers (tokens, items) of the transcript it adds to."""

    def _tool_call(self, event: ToolCallEvent) -> tuple[int, int]:
        owner = self._participant_row(event.participant_id, "participant_id")
        if event.call_id in self._own_calls:
            raise IdTaken(self._call_at)
        message_uid = None
        if event.message_id is not None:
            message_uid = self._known.messages.get(event.message_id)
            if message_uid is None:
                raise UnknownReference(f"{self._at}.message_id")
        arguments = as_text(event.arguments)
        owned = self._owned(event, owner)
        stored = self._bytes_row("arguments", arguments, owned["subject_uids"])
        tokens = self._count(f"{event.tool_name}({arguments})")
        row = {
            **self._place(),
            "call_id": event.call_id,
            "tool_name": event.tool_name,
            "tool_version": event.tool_version,
            **stored,
            "arguments_tokens": tokens,
            "parameters": parameter_names(arguments),
            "message_uid": message_uid,
            "run_uid": self._run_uid(event.run_id),
            "parent_call_id": event.parent_call_id,
            "batch_id": event.batch_id,
            "active_skills": event.active_skills,
            "active_profiles": event.active_profiles,
            "provider": event.provider,
            "runtime_kind": event.runtime_kind.value,
            "isolation_policy": event.isolation_policy,
            "retry_critical": event.retry_critical,
            "visibility": classification.runtime_visibility(event.visibility).value,
            "privacy_class": classification.tool_privacy(event.privacy_class).value,
            **owned,
        }
        self._own_arguments[row["uid"]] = arguments
        self._own_calls[event.call_id] = self._known.calls[event.call_id] = row
        self.rows.calls.append(row)
        self.rows.artifacts.append(self._artifact(row, event.call_status))
        return tokens, 1

    def _tool_result(self, event: ToolResultEvent) -> tuple[int, int]:
        call = self._known.calls.get(event.call_id)
        if call is None or not self._in_lineage(call):
            raise UnknownReference(self._call_at)
        text = as_text(event.result)
        visibility = classification.narrowest(Visibility(call["visibility"]), event.visibility)
        shown = text if text else (event.error or "")
        tokens = self._count(shown)
        governed: Row = {
            "visibility": visibility.value,
            "privacy_class": classification.tool_privacy(
                event.privacy_class, PrivacyClass(call["privacy_class"])
            ).value,
            "shared_with": sorted({*call["shared_with"], *self._participant_uids(event.shared_with)}),
            "subject_uids": list(self._result_subjects(event, call)),
        }
        outcome = {
            "call_status": event.call_status.value,
            "result_seq": None,
            "result_part": self._part,
            **self._bytes_row("result", text, governed["subject_uids"]),
            "result_tokens": tokens,
            "error": event.error,
            "retry_critical": event.retry_critical or call["retry_critical"],
            "observed_at": event.occurred_at or self._now,
            "resolved_at": self._now,
            **governed,
        }
        artifact = self._resolve(call, outcome)
        if event.call_status not in UNRESOLVED and event.call_status is not CallStatus.CANCELLED:
            self._memory(event, call, artifact, outcome, None if event.result is None else text)
        return tokens, 1

    def _resolve(self, call: Row, outcome: Row) -> str:
        """Complete this branch's artifact of the call, or make one beside an ancestor's; answer its uid."""
        if self._answered_by(call) is not None:
            raise Conflict(f"The call at {self._call_at} has its result already.")
        made = [a for a in self.rows.artifacts if a["call_uid"] == call["uid"]]
        earlier = [r for r in self.rows.results if r["call_uid"] == call["uid"]]
        if made:
            made[0] |= outcome | {"offset_result": self._offset}
            return str(made[0]["uid"])
        stored = call.get("artifacts", ())
        own = next((a["uid"] for a in stored if a["branch_ref"] == self._known.branch_ref), None)
        if own is None:
            row = self._artifact(call, CallStatus.PENDING) | outcome | {"offset_result": self._offset}
            self.rows.artifacts.append(row)
            return str(row["uid"])
        if earlier:
            self.rows.results.remove(earlier[0])
        result = {"uid": own, "call_uid": call["uid"], "location": self._call_at}
        self.rows.results.append(result | {"offset_result": self._offset, "properties": outcome})
        return str(own)

    def _answered_by(self, call: Row) -> str | None:
        """The uid of the artifact that has the call's result on this lineage; None while there is none."""
        if call["uid"] in self._answers:
            return self._answers[call["uid"]]
        lineage = self._known.lineage
        stored = [a for a in call.get("artifacts", ()) if a["result_seq"]]
        reached = [a for a in stored if lineage.holds(a["branch_ref"], a["result_seq"])]
        made = [a for a in self.rows.artifacts if a["call_uid"] == call["uid"]]
        completed = [r | r["properties"] for r in self.rows.results if r["call_uid"] == call["uid"]]
        for known in (*reached, *made, *completed):
            if CallStatus(known["call_status"]) not in UNRESOLVED:
                return self._answers.setdefault(call["uid"], str(known["uid"]))
        return None

    def _artifact(self, call: Row, status: CallStatus) -> Row:
        return {
            "uid": new_uid(),
            "call_uid": call["uid"],
            "conversation_uid": self._known.conversation_uid,
            "branch_ref": self._known.branch_ref,
            "call_seq": call.get("seq"),
            "offset_call": call.get("offset"),
            "part": call["part"],
            "tool_name": call["tool_name"],
            "tool_version": call["tool_version"],
            "call_status": status.value,
            "participant_uid": call["participant_uid"],
            "run_uid": call["run_uid"],
            "visibility": call["visibility"],
            "shared_with": call["shared_with"],
            "privacy_class": call["privacy_class"],
            "subject_uids": call["subject_uids"],
            "retry_critical": call["retry_critical"],
            "captured_at": self._now,
        }

    def _memory(
        self, event: ToolResultEvent, call: Row, artifact_uid: str, outcome: Row, result: str | None
    ) -> None:
        arguments = self._own_arguments.get(call["uid"], call.get("arguments") or "")
        notes = distilled(call["tool_name"], arguments, result, event.call_status, event.error)
        self.rows.memories.append(
            {
                **self._place(),
                "artifact_uid": artifact_uid,
                "tool_name": call["tool_name"],
                **notes,
                "headline_tokens": self._count(headline_line(POINTER_ROOM, notes["headline"])),
                "record_tokens": [self._count(record_line(record)) for record in notes["records"]],
                "parameters": call["parameters"],
                "call_status": event.call_status.value,
                "retry_critical": event.retry_critical or call["retry_critical"],
                "result_tokens": outcome["result_tokens"],
                "result_bytes": outcome["result_bytes"],
                "freshness": (event.freshness or classification.DEFAULT_FRESHNESS).value,
                "observed_at": event.occurred_at or self._now,
                "stale_after": event.stale_after,
                "participant_uid": call["participant_uid"],
                "run_uid": call["run_uid"],
                **{name: outcome[name] for name in GOVERNED},
            }
        )


def distilled(
    tool_name: str, arguments: str, result: str | None, status: CallStatus, error: str | None
) -> Row:
    """The notes of a result, as a memory keeps them."""
    made = distil(tool_name, arguments, result, status, error)
    return {
        "headline": fence.strip_line(made.headline),
        "records": list(map(fence.strip_line, made.records)),
        "record_key": made.record_key,
        "record_fields": list(made.record_fields),
        "confidence": made.confidence,
        "confidence_source": SOURCE,
        "confidence_reason": made.confidence_reason,
        "limits": list(map(fence.strip_line, made.limits)),
    }


def parameter_names(arguments: str) -> list[str]:
    """Names of a call's arguments; later calls of its kind want values for these."""
    try:
        read = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    names = list(read)[:PARAMETERS_MAX] if isinstance(read, dict) else []
    return [unicode_text(name[:NAME_CHARS_MAX]) for name in names]
