"""Summary lines that stand for a person's words and for those of others: told again from what is left.

A compaction's payload tells its own lines by their place, and by their uid those that it took over. All lines
are told again before any payload is: what a line folds, or was taken over from, may stand anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from service.graph import erasure
from service.graph.driver import Graph
from service.model.compaction import Audience, SummarisedItem
from service.model.vocabulary import CallStatus, LineKind, PrivacyClass, Visibility
from service.text.redacting import Redact
from service.text.summary import drafted, line_text, retold
from service.usecases.erasure.people import Row

SPEAKER_ROOM: Final = "a participant's name"
_NOBODY: Final = Audience("", Visibility.AUDIT, (), PrivacyClass.SECRET)
_Line = str | tuple[int, int, int]
"""A line's uid, where a compaction took it over as it was; else its place: branch, seq and part."""


@dataclass(slots=True)
class Summaries:
    """What the lines of shared conversations tell without a person; None: nothing is left."""

    graph: Graph
    tenant_id: str
    redact: Redact
    count: Callable[[str], int]
    people: Collection[str]
    bare: Mapping[str, Row]
    """What memories read whose call goes, by their uids."""
    texts: dict[_Line, str | None] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    """Uids of lines of which nothing is left."""

    async def tell(
        self, shared: Sequence[Sequence[Row]], seats: list[str], decided: Collection[str]
    ) -> list[Row]:
        """Tell again the lines in stretches of branches; answers their nodes' new properties. `decided` are
        uids of items and events of others that go as well."""
        rows: list[Row] = []
        gone = sorted(decided)
        for stretches in shared:
            reading = partial(
                erasure.list_mixed_lines.many,
                tenant_id=self.tenant_id,
                stretches=list(stretches),
                people=list(self.people),
                seats=seats,
                decided=gone,
            )
            rows += await self.graph.read(reading)
        rows.sort(key=lambda row: (row["recorded_at"], row["seq"], row["part"]))  # a fold is of earlier ones
        nodes = [node for node in map(self._told, rows) if node is not None]
        for stretches in shared:
            listing = partial(erasure.list_lines.many, tenant_id=self.tenant_id, stretches=list(stretches))
            for row in await self.graph.read(listing):
                place = (row["branch_ref"], row["seq"], row["part"])
                self.texts[place] = self.texts.setdefault(row["uid"], row["text"])
        return nodes

    def _told(self, row: Row) -> Row | None:
        items = ({**one, "headline": self._headline(one)} for one in row["items"])
        pieces = [line.text for line in drafted([summarised(one, self.redact) for one in items])]
        for fold in row["folds"]:
            text = self.texts.get(fold["uid"], fold["text"] if fold["others"] else None)
            pieces += [self.redact(text)] if text else []
        self.texts[row["uid"]] = text = retold(pieces) if pieces else None
        if text is None:
            self.gone.append(row["uid"])
            return None
        written = line_text(LineKind(row["line_kind"]), text, (row["seq"], row["seq"] + 1), 2, SPEAKER_ROOM)
        properties = {
            "text": text,
            "tokens": self.count(written),
            "item_count": row["left_count"],
            "subject_uids": row["others"],
        }
        return {"uid": row["uid"], "properties": properties}

    def _headline(self, item: Row) -> str | None:
        headline: str | None = self.bare.get(item["uid"], item)["headline"]
        return headline

    def recorded(self, line: Row | None, place: tuple[int, int, int]) -> Row | None:
        """A line of a payload as it reads now. None keeps the place of one that is gone."""
        if line is None:
            return None
        subjects = line.get("subject_uids", [])
        others = [uid for uid in subjects if uid not in self.people]
        text = self.texts.get(line.get("uid") or place, line["text"] if others == subjects else None)
        if text is None or (subjects and not others):
            return None
        return {**line, "text": text, "subject_uids": others}


def summarised(row: Row, redact: Redact) -> SummarisedItem:
    """A message or a tool memory as a line of a summary is drafted from it."""
    spoken = row["headline"] is None
    return SummarisedItem(
        uid=row["uid"],
        seq=row["seq"],
        text=redact(row["text"] if spoken else row["headline"]),
        failed=None if spoken else row["call_status"] == CallStatus.FAILED,
        audience=_NOBODY,
        subject_uids=(),
    )
