"""From a projection and the branch's lock to rows that can be written: seqs, envelopes, running totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.model.chain import Envelope
from service.model.vocabulary import Visibility
from service.usecases.recording.projection import Projection

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Head:
    """A branch's end: its newest seq, the hash there, and what the transcript up to there costs."""

    seq: int
    hash: str
    transcript_tokens: int
    transcript_items: int


@dataclass(frozen=True, slots=True)
class Sealed:
    """A batch ready to be written. `results` complete artifacts of earlier batches."""

    branch_ref: int
    head: Head
    envelopes: list[Envelope]
    events: list[dict[str, Row]]
    rows: dict[str, list[Row]]
    results: list[Row]

    def link(self, seq: int) -> Row | None:
        """What a fork at `seq` continues, where this batch holds that event."""
        first = self.envelopes[0].seq
        return self.events[seq - first]["envelope"] if first <= seq <= self.head.seq else None


def seal(projection: Projection, before: Head, envelopes: list[tuple[Envelope, bytes]]) -> Sealed:
    """Place every row after `before` and pair every envelope with its payload."""
    branch_ref = projection.branch_ref
    tokens, items = before.transcript_tokens, before.transcript_items
    events: list[dict[str, Row]] = []
    for (envelope, salt), entry in zip(envelopes, projection.logged, strict=True):
        tokens += entry.transcript_tokens
        items += entry.transcript_items
        events.append(
            {
                "envelope": {
                    **_fields(envelope),
                    "branch_ref": branch_ref,
                    "hash": envelope.hash(),
                    "transcript_tokens": tokens,
                    "transcript_items": items,
                },
                "payload": {
                    "event_uid": envelope.event_uid,
                    "tenant_id": envelope.tenant_id,
                    "salt": salt.hex(),
                    "body": entry.body,
                },
            }
        )
    rows = projection.rows
    for row in rows.placed():
        row["seq"] = before.seq + row.pop("offset")
    for row in (*rows.messages, *rows.memories):
        row["wide"] = row["visibility"] == Visibility.CONVERSATION or bool(row["shared_with"])
    for row in rows.merges:
        row["merges"] = [number for s in row.pop("stretches") for number in (row["seq"], *s)]
    for row in (*rows.releases, *rows.compactions, *rows.summary_lines):
        row["properties"]["seq"] = row.pop("seq")
    for row in rows.artifacts:
        _place_artifact(row, before.seq)
    for row in rows.results:
        row["properties"]["result_seq"] = before.seq + row.pop("offset_result")
    last = events[-1]["envelope"]
    return Sealed(
        branch_ref=branch_ref,
        head=Head(last["seq"], last["hash"], tokens, items),
        envelopes=[envelope for envelope, _ in envelopes],
        events=events,
        rows={
            "participants": rows.participants,
            "branches": rows.branches,
            "changes": rows.changes,
            "merges": rows.merges,
            "runs": rows.runs,
            "messages": rows.messages,
            "calls": rows.calls,
            "artifacts": rows.artifacts,
            "memories": rows.memories,
            "claims": rows.claims,
            "evidence": rows.evidence,
            "user_memories": rows.user_memories,
            "memory_links": rows.memory_links,
            "retractions": rows.retractions,
            "pins": rows.pins,
            "unpins": rows.unpins,
            "skill_states": rows.skill_states,
            "working_memories": rows.working_memories,
            "checkpoints": rows.checkpoints,
            "releases": rows.releases,
            "compactions": rows.compactions,
            "summary_lines": rows.summary_lines,
            "redactions": rows.redactions,
        },
        results=rows.results,
    )


def _place_artifact(row: Row, before_seq: int) -> None:
    offset_call, offset_result = row.pop("offset_call"), row.pop("offset_result", None)
    if offset_call is not None:
        row["call_seq"] = before_seq + offset_call
    if offset_result is not None:
        row["result_seq"] = before_seq + offset_result


def _fields(envelope: Envelope) -> Row:
    fields: Row = {name: getattr(envelope, name) for name in Envelope.__slots__}
    fields["subject_uids"] = list(envelope.subject_uids)
    fields["uid"] = fields.pop("event_uid")
    return fields
