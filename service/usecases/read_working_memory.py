"""Read what a participant has noted down on a branch: what stands, and how it came to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from service.graph import branches, log
from service.graph.assemblies import governance
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.paging import Cursor
from service.policies import visibility
from service.usecases.read_transcript import Opened, Place, open_branch

NOTHING: Final[Row] = {"version": 0, "fields": "{}", "block": None}


@dataclass(frozen=True, slots=True)
class ReadWorkingMemory:
    """The use case."""

    graph: Graph

    async def __call__(
        self, caller: Caller, place: Place, cursor: str | None, limit: int, token: ConsistencyToken
    ) -> dict[str, Any]:
        """The asker's standing version, and a page of its versions with what each changed, oldest first.

        What is for auditors only is left out; its number is not. Raises NotFound, InvalidRequest.
        """

        async def work(tx: Transaction) -> dict[str, Any]:
            opened = await open_branch(tx, caller.tenant_id, place)
            after = Cursor.seq_in(cursor, opened.row["branch_ref"])
            found = await log.list_standing.one(
                tx,
                tenant_id=caller.tenant_id,
                stretches=opened.lineage.parameters(),
                named={"participant_uids": [opened.asker.uid]},
                recording=False,
            )
            standing = next(iter(found["standing"] if found else ()), None)
            rows = await branches.list_versions.many(
                tx,
                tenant_id=caller.tenant_id,
                stretches=opened.lineage.after(max(0, after - 1)).parameters(),
                participant_uid=opened.asker.uid,
                limit=limit + 2,
            )
            before = [] if after and rows and rows[0]["seq"] == after else [NOTHING]
            shown = [*before, *rows][: limit + 1]
            more = len(before) + len(rows) > len(shown)
            return {
                "version": standing["version"] if standing else 0,
                **_content(standing if standing and _readable(standing, opened) else NOTHING),
                "history": list(_changes(shown, opened)),
                "next_cursor": Cursor(opened.row["branch_ref"], shown[-1]["seq"]).encode() if more else None,
            }

        return await self.graph.read(work, token.bookmarks)


def _readable(row: Row, opened: Opened) -> bool:
    return visibility.judge(governance(row), opened.asker.uid).keep


def _content(row: Row) -> dict[str, Any]:
    return {"fields": json.loads(row["fields"]), "block": row["block"]}


def _changes(rows: list[Row], opened: Opened) -> Iterator[dict[str, Any]]:
    """Every version but the first, with what is different from the one before it."""
    for before, after in pairwise(rows):
        if not _readable(after, opened):
            continue
        was, now = _content(before), _content(after)
        names = sorted({*was["fields"], *now["fields"]})
        yield {
            "version": after["version"],
            "seq": after["seq"],
            "inherited": after["branch_ref"] != opened.row["branch_ref"],
            "recorded_at": after["recorded_at"],
            "changed": {
                name: now["fields"].get(name)
                for name in names
                if now["fields"].get(name) != was["fields"].get(name)
            },
            "block_changed": was["block"] != now["block"],
            "block": now["block"],
        }
