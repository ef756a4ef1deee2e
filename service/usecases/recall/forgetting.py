"""Forget what this process keeps of a tenant in which somebody was hidden or erased."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog

from service.errors import RuntimeGraphError
from service.graph import people
from service.graph.driver import Graph
from service.policies import ranking
from service.text.search import pieces, terms
from service.text.summary import lines

LOOK_EVERY_S: Final = 3.0
"""How long an idle process may keep what it is to forget."""
LOOKS_FORGETTING: Final = 12
"""An assembly that began before may still keep what it read: for longer than a request lasts, each look
forgets again."""
TENANTS_LISTED_MAX: Final = 1_000
TEXT_CACHES: Final = (
    *(terms.counted, pieces.pieces, lines.words),
    *(ranking.values, ranking.value_terms, ranking.terms, ranking.words),
)
"""Every cache of this process that has texts, of all tenants; a test looks for others."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Forgetting:
    """Told by each assembly how often people were hidden or erased; beside that it looks by itself."""

    graph: Graph
    forgetters: Sequence[Callable[[str], None]]
    """What forgets a tenant."""
    _seen: dict[str, int] = field(default_factory=dict)
    _again: dict[str, int] = field(default_factory=dict)
    _task: asyncio.Task[None] | None = None

    def note(self, tenant_id: str, erasure_count: int) -> None:
        """Forget, if somebody was hidden or erased since the tenant was noted last."""
        if erasure_count <= self._seen.get(tenant_id, 0):
            return
        self._seen[tenant_id] = erasure_count
        self._again[tenant_id] = LOOKS_FORGETTING
        self._forget(tenant_id)

    def leave(self, tenant_id: str) -> None:
        """Forget a tenant that leaves: it has no count any more by which others tell."""
        self._again[tenant_id] = LOOKS_FORGETTING
        self._forget(tenant_id)

    def _forget(self, tenant_id: str) -> None:
        for forget in self.forgetters:
            forget(tenant_id)
        for cached in TEXT_CACHES:
            cached.cache_clear()

    async def look(self) -> None:
        """Note every tenant as it is in the graph."""
        for tenant_id in list(self._again):
            self._forget(tenant_id)
            self._again[tenant_id] -= 1
            if not self._again[tenant_id]:
                del self._again[tenant_id]
        after = ""
        while True:
            rows = await self.graph.read(
                lambda tx, after=after: people.list_erasures.many(  # type: ignore[misc]
                    tx, after=after, limit=TENANTS_LISTED_MAX
                )
            )
            for row in rows:
                self.note(row["tenant_id"], row["erasure_count"])
            if len(rows) < TENANTS_LISTED_MAX:
                return
            after = rows[-1]["tenant_id"]

    def start(self) -> None:
        """Look every LOOK_EVERY_S from now on."""
        self._task = asyncio.create_task(self._watch(), name="forgetting")

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                await self.look()
            except RuntimeGraphError as error:
                _log.warning("what is to be forgotten could not be read", error=error.code)
