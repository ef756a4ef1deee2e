"""Work out what the edges of a tenant's knowledge graph count at a moment, from what they counted first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.graph.query import Query, Row
from service.policies.decay import decayed
from service.usecases.configure_tenant import Configurations

PAGE_ROWS: Final = 500
"""Starts of edges that one transaction takes."""


@dataclass(frozen=True, slots=True)
class DecayEdges:
    """The use case with what it works on."""

    graph: Graph
    configurations: Configurations

    async def __call__(self, tenant_id: str, weighed_at: datetime, *, dry_run: bool = False) -> int:
        """Weigh every edge that was not weighed for this moment or a later one; answers how many. However
        often it is run, it comes to the same weights; a page is a transaction of its own."""
        edges = 0
        for listing in knowledge_graph.LIST_WEIGHTS:
            after = ""
            while True:
                page = partial(self._page, tenant_id, listing, after, weighed_at, dry_run)
                last, found = await self.graph.read(page) if dry_run else (await self.graph.write(page))[0]
                edges += found
                if last is None:
                    break
                after = last
        return edges

    async def _page(
        self,
        tenant_id: str,
        listing: Query,
        after: str,
        weighed_at: datetime,
        dry_run: bool,
        tx: Transaction,
    ) -> tuple[str | None, int]:
        """The key of the page's last start, None behind the end; and its edges."""
        configuration = await self.configurations.active(tx, tenant_id)
        half_life_days = configuration.knowledge.half_life_days
        rows = await listing.many(
            tx, tenant_id=tenant_id, after=after, weighed_at=weighed_at, limit=PAGE_ROWS
        )
        if not rows:
            return None, 0
        found = [row for row in rows if row["edge_id"] is not None]
        for row in found:
            row["weight"] = decayed(row["initial_weight"], row["strengthened_at"], weighed_at, half_life_days)
        if not found or dry_run:
            return rows[-1]["key"], len(found)
        by_start: dict[str, dict[str, Row]] = {}
        for row in found:
            by_start.setdefault(row["uid"], {})[row["edge_id"]] = row
        starts = [{"uid": uid, "edges": edges} for uid, edges in by_start.items()]
        done = await knowledge_graph.set_weights.one(
            tx, tenant_id=tenant_id, starts=starts, weighed_at=weighed_at
        )
        return rows[-1]["key"], done["edges"] if done else 0
