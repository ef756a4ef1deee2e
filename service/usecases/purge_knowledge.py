"""Purge what of a tenant's knowledge graph is transient, old, and referred to by nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from service.clock import Clock
from service.graph import knowledge_graph
from service.graph.driver import Graph
from service.graph.query import Query
from service.usecases.configure_tenant import Configurations

BATCH_ROWS: Final = 500
BATCHES_MAX: Final = 2_000
"""A million nodes of a kind in one run; what is left is for the next one."""


@dataclass(frozen=True, slots=True)
class PurgeKnowledge:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    configurations: Configurations

    async def __call__(self, tenant_id: str, *, dry_run: bool = False) -> dict[str, int]:
        """Delete nodes older than the tenant's `purge_after_days`, with their edges; answers how many of each
        kind. Products and what else is durable stay. Each batch is a transaction of its own."""
        configuration = await self.graph.read(lambda tx: self.configurations.active(tx, tenant_id))
        before = self.clock() - timedelta(days=configuration.knowledge.purge_after_days)
        purged: dict[str, int] = {}
        for kind, (purge, count) in knowledge_graph.PURGES.items():
            if dry_run:
                row = await self.graph.read(partial(count.one, tenant_id=tenant_id, before=before))
                purged[kind] = row["old"] if row else 0
            else:
                purged[kind] = await self._purge(purge, tenant_id, before)
        return purged

    async def _purge(self, purge: Query, tenant_id: str, before: datetime) -> int:
        deleted = passed = 0
        for _ in range(BATCHES_MAX):
            row, _ = await self.graph.write(
                partial(purge.sole, tenant_id=tenant_id, before=before, passed=passed, limit=BATCH_ROWS)
            )
            deleted += row["deleted"]
            passed += row["found"] - row["deleted"]
            if row["found"] < BATCH_ROWS:
                break
        return deleted
