"""Read a branch as people do: what was said on its lineage, as far as the asker may see it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from service.errors import NotFound
from service.graph import branches, compactions
from service.graph.assemblies import governance
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.lineage import Lineage
from service.model.paging import Cursor
from service.model.vocabulary import EventKind, ParticipantKind, RuntimeKind
from service.policies import attribution
from service.policies.attribution import Asker

WINDOW_EVENTS: Final = 1_000
"""Events of the lineage that one query looks over; so at most as many stretches, however deep it is."""
WINDOWS_MAX: Final = 20
"""Queries of one page, which may have fewer messages than its limit where most are private to others."""
SHOWN_PARTS: Final = ("text", "image", "file")
"""Parts of a message that were said; thoughts, calls and answers are the record's."""
NOBODY: Final = ""
"""The uid of no seat: who asks without one sees what everybody on the branch may see."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which branch is read, and for which seat of its conversation; None: for nobody in particular."""

    conversation_id: str
    branch_id: str
    participant_id: str | None


@dataclass(frozen=True, slots=True)
class Opened:
    """A branch, and who reads it."""

    row: Row
    lineage: Lineage
    asker: Asker


@dataclass(frozen=True, slots=True)
class Page:
    """Messages and compaction marks in order, and the cursor of the next page; None at the head."""

    entries: list[Row]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ReadTranscript:
    """The use case."""

    graph: Graph

    async def __call__(
        self, caller: Caller, place: Place, cursor: str | None, limit: int, token: ConsistencyToken
    ) -> tuple[Opened, Page]:
        """The branch and a page of its transcript, oldest first. Raises NotFound, InvalidRequest."""

        async def work(tx: Transaction) -> tuple[Opened, Page]:
            opened = await open_branch(tx, caller.tenant_id, place)
            after = Cursor.seq_in(cursor, opened.row["branch_ref"])
            return opened, await read_page(tx, caller.tenant_id, opened, after, limit)

        return await self.graph.read(work, token.bookmarks)


async def open_branch(tx: Transaction, tenant_id: str, place: Place) -> Opened:
    """A branch with its lineage and the seat that asks. Raises NotFound where one of them is missing."""
    row = await branches.open_for_reading.one(
        tx,
        tenant_id=tenant_id,
        conversation_id=place.conversation_id,
        branch_id=place.branch_id,
        participant_id=place.participant_id,
    )
    if row is None:
        raise NotFound("branch")
    if place.participant_id is not None and row["participant_uid"] is None:
        raise NotFound("participant")
    lineage = Lineage.of_row(row)
    kind = ParticipantKind(row["participant_kind"] or ParticipantKind.HUMAN)
    return Opened(row, lineage, Asker(row["participant_uid"] or NOBODY, kind, RuntimeKind.CHAT, lineage))


async def read_page(tx: Transaction, tenant_id: str, opened: Opened, after: int, limit: int) -> Page:
    """At most `limit` messages and marks that stand after a seq, looking over WINDOWS_MAX windows at most."""
    head, found = opened.lineage.head, list[Row]()
    for _ in range(WINDOWS_MAX):
        ceiling = min(after + WINDOW_EVENTS, head)
        stretches = opened.lineage.up_to(ceiling).after(after).parameters()
        rows = await branches.list_transcript.many(
            tx,
            tenant_id=tenant_id,
            stretches=stretches,
            participant_uid=opened.asker.uid,
            limit=limit + 1,
        )
        marks = await compactions.list_marks.many(
            tx, tenant_id=tenant_id, stretches=stretches, limit=limit + 1
        )
        reached = min(full[-1]["seq"] if len(full) > limit else ceiling for full in (rows, marks))
        told = [one for row in rows if (one := _told(row, opened)) is not None]
        told += [mark(row, opened) for row in marks]
        found += sorted((one for one in told if one["seq"] <= reached), key=lambda one: one["seq"])
        after = reached
        if len(found) > limit:
            found = found[:limit]
            after = found[-1]["seq"]
            break
        if after >= head:
            return Page(found, None)
    return Page(found, Cursor(opened.row["branch_ref"], after).encode())


def may_read(row: Row, asker: Asker) -> bool:
    """Whether the asker may read an item, by itself or by one of its `releases`."""
    released = any(asker.lineage.holds(one["branch_ref"], one["seq"]) for one in row["releases"])
    return attribution.may_read(row["uid"], governance(row), asker, released)


def _told(row: Row, opened: Opened) -> dict[str, Any] | None:
    """A message as people read it; None where the asker may not, or where it says nothing."""
    if not may_read(row, opened.asker) or not row["text"].strip():
        return None
    parts = [part for part in json.loads(row["parts"] or "[]") if part["type"] in SHOWN_PARTS]
    return {
        "kind": EventKind.MESSAGE,
        "uid": row["uid"],
        "message_id": row["message_id"],
        "seq": row["seq"],
        "inherited": row["branch_ref"] != opened.row["branch_ref"],
        "speaker": {
            "participant_id": row["participant_id"],
            "participant_kind": row["participant_kind"],
            "name": row["display_name"] or row["participant_id"],
        },
        "role": row["role"],
        "text": row["text"],
        "parts": parts if any(part["type"] != "text" for part in parts) else [],
        "visibility": row["visibility"],
        "occurred_at": row["occurred_at"],
        "recorded_at": row["recorded_at"],
        "redacted_by": row["redacted_by"],
    }


def mark(row: Row, opened: Opened) -> dict[str, Any]:
    """A compaction as people read it: how far it reaches, by whom, and its lines as far as the asker may."""
    return {
        "kind": EventKind.COMPACTION,
        **{name: row[name] for name in _OF_A_MARK},
        "inherited": row["branch_ref"] != opened.row["branch_ref"],
        "lines": [
            {name: line[name] for name in _OF_A_LINE}
            for line in compactions.in_order(row["lines"])
            if attribution.may_read(line["uid"], governance(line), opened.asker, released=False)
        ],
    }


_OF_A_MARK: Final = (
    *("uid", "compaction_id", "seq", "participant_id", "after_seq", "until_seq"),
    *("summariser", "policy_version", "recorded_at"),
)
_OF_A_LINE: Final = ("uid", "line_kind", "text", "first_seq", "last_seq", "item_count")
