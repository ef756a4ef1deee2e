"""Gateway of compactions: what a branch may be compacted up to, what is to be summarised, and what was."""

from __future__ import annotations

from collections.abc import Iterable

from service.graph.assemblies import governance
from service.graph.query import Row, query
from service.model.candidates import CompactionCandidate, LineCandidate
from service.model.compaction import Audience, SummarisedItem, SummaryLine
from service.model.lineage import Lineage
from service.model.vocabulary import CallStatus, LineKind

find_span = query("compaction/find_span")
find_standing = query("compaction/find_standing")
find_compaction = query("compaction/find_compaction")
list_marks = query("compaction/list_marks")
list_messages = query("message/list_span")
list_memories = query("tool_memory/list_span")
find_line = query("summary_line/find_line")
list_items = query("summary_line/list_items")


def compaction(row: Row) -> CompactionCandidate:
    """A row of `compaction/find_standing`."""
    return CompactionCandidate(
        uid=row["uid"],
        compaction_id=row["compaction_id"],
        place=(row["seq"], 0),
        until_seq=row["until_seq"],
        transcript_tokens=row["transcript_tokens"],
        lines=tuple(map(line, in_order(row["lines"]))),
    )


def in_order(lines: Iterable[Row]) -> list[Row]:
    """A summary's lines by what they stand for: those that were taken over stand between new ones."""
    return sorted(lines, key=lambda one: (one["first_seq"], one["last_seq"], one["uid"]))


def line(row: Row) -> LineCandidate:
    """A line of `compaction/find_standing`."""
    return LineCandidate(
        uid=row["uid"],
        place=(row["seq"], row["part"]),
        kind=LineKind(row["line_kind"]),
        text=row["text"],
        tokens=row["tokens"],
        seqs=(row["first_seq"], row["last_seq"]),
        item_count=row["item_count"],
        governance=governance(row),
    )


def summarised(row: Row, lineage: Lineage) -> SummarisedItem:
    """A row of `message/list_span` or of `tool_memory/list_span`; who it was released to may see its line."""
    released = (r["participant_uid"] for r in row["releases"] if lineage.holds(r["branch_ref"], r["seq"]))
    spoken = "headline" not in row
    return SummarisedItem(
        uid=row["uid"],
        seq=row["seq"],
        text=row["text"] if spoken else row["headline"],
        failed=None if spoken else row["call_status"] == CallStatus.FAILED,
        audience=_audience(row, released),
        subject_uids=tuple(row["subject_uids"]),
    )


def summary_line(row: Row) -> SummaryLine:
    """A line of an earlier compaction."""
    return SummaryLine(
        kind=LineKind(row["line_kind"]),
        text=row["text"],
        first_seq=row["first_seq"],
        last_seq=row["last_seq"],
        item_count=row["item_count"],
        audience=_audience(row, ()),
        subject_uids=tuple(row["subject_uids"]),
        uid=row["uid"],
    )


def _audience(row: Row, released: Iterable[str]) -> Audience:
    item = governance(row)
    return Audience(
        participant_uid=item.participant_uid,
        visibility=item.visibility,
        shared_with=tuple(sorted({*item.shared_with, *released})),
        privacy_class=item.privacy_class,
    )
