"""A compaction becomes a node with its lines; each line points at what it stands for."""

from __future__ import annotations

from service.model.events import CompactionEvent, RecordedLine, RedactionEvent
from service.text.summary import line_text
from service.usecases.recording.projection.rows import Row
from service.usecases.recording.projection.state import NOTHING, StateProjection

SPEAKER_ROOM = "a participant's name"
"""A line is counted with a name this long, which is read with it."""


class CompactionProjection(StateProjection):
    """Projects what the service itself records: `compaction` and `redaction`."""

    def _compaction(self, event: CompactionEvent) -> tuple[int, int]:
        by = event.participant_id
        compaction = {
            **self._place(),
            "compaction_id": event.compaction_id,
            "participant_uid": self._participant_row(by, "participant_id")["uid"] if by else None,
            "after_seq": event.after_seq,
            "until_seq": event.until_seq,
            "transcript_tokens": event.transcript_tokens,
            "summariser": event.summariser,
            "policy_version": event.policy_version,
            "line_count": len(event.lines),
        }
        tokens = [self._count(_written(line)) for line in event.lines]
        compaction["summary_tokens"] = sum(tokens)
        kept = [line.uid for line in event.lines if line.uid is not None]
        self.rows.compactions.append(
            {"offset": compaction.pop("offset"), "properties": compaction, "line_uids": kept}
        )
        self.rows.summary_lines += [
            self._summary_line(line, compaction["uid"], at, tokens[at])
            for at, line in enumerate(event.lines)
            if line.uid is None
        ]
        return NOTHING

    def _redaction(self, event: RedactionEvent) -> tuple[int, int]:
        self.rows.redactions.append(
            {
                "offset": self._offset,
                "branch_ref": self._known.branch_ref,
                "event_uid": event.event_uid,
                "erased_by": event.erased_by,
            }
        )
        return NOTHING

    def _summary_line(self, line: RecordedLine, compaction_uid: str, at: int, tokens: int) -> Row:
        properties = {
            **self._place(),
            "part": at,
            "line_kind": line.line_kind.value,
            "text": line.text,
            "tokens": tokens,
            "first_seq": line.first_seq,
            "last_seq": line.last_seq,
            "item_count": line.item_count,
            "participant_uid": line.participant_uid,
            "visibility": line.visibility.value,
            "shared_with": line.shared_with,
            "privacy_class": line.privacy_class.value,
            "subject_uids": line.subject_uids,
        }
        return {
            "offset": properties.pop("offset"),
            "compaction_uid": compaction_uid,
            "properties": properties,
            "item_uids": line.item_uids,
            "line_uids": line.line_uids,
        }


def _written(line: RecordedLine) -> str:
    seqs = (line.first_seq, line.last_seq)
    return line_text(line.line_kind, line.text, seqs, line.item_count, SPEAKER_ROOM)
