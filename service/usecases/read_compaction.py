"""From a summary line back to what it stands for: every message and memory, with its event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from service.errors import NotFound
from service.graph import compactions
from service.graph.assemblies import governance
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.paging import Cursor
from service.policies import attribution
from service.usecases.read_transcript import Opened, Page, Place, may_read, open_branch

_OF_AN_ITEM: Final = ("uid", "kind", "seq", "message_id", "artifact_uid", "text", "event_uid")


@dataclass(frozen=True, slots=True)
class ReadCompaction:
    """The use case."""

    graph: Graph

    async def __call__(
        self, caller: Caller, place: Place, uid: str, cursor: str | None, limit: int, token: ConsistencyToken
    ) -> tuple[Row, Page]:
        """The line and a page of its items, oldest first. Raises NotFound, also for a line of another branch
        and for one that the asker may not see, and InvalidRequest."""

        async def work(tx: Transaction) -> tuple[Row, Page]:
            opened = await open_branch(tx, caller.tenant_id, place)
            found = await compactions.find_line.one(tx, tenant_id=caller.tenant_id, uid=uid)
            line = found["line"] if found else None
            if line is None or not opened.lineage.holds(line["branch_ref"], line["seq"]):
                raise NotFound("summary line")
            if not attribution.may_read(uid, governance(line), opened.asker, released=False):
                raise NotFound("summary line")
            after = Cursor.seq_in(cursor, opened.row["branch_ref"])
            rows = await compactions.list_items.many(
                tx,
                tenant_id=caller.tenant_id,
                uid=uid,
                participant_uid=opened.asker.uid,
                after_seq=after,
                limit=limit + 1,
            )
            seqs = sorted({row["seq"] for row in rows})[:limit]
            shown = [_item(row, opened) for row in rows if row["seq"] in seqs]
            more = len(seqs) == limit and rows[-1]["seq"] > seqs[-1]
            following = Cursor(opened.row["branch_ref"], seqs[-1]).encode() if more else None
            return line, Page([item for item in shown if item is not None], following)

        return await self.graph.read(work, token.bookmarks)


def _item(row: Row, opened: Opened) -> dict[str, Any] | None:
    """What a line stands for; None where the asker may not see it."""
    if not may_read(row, opened.asker):
        return None
    return {name: row[name] for name in _OF_AN_ITEM}
