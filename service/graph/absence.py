"""Gateway of the absence scan: everything the database holds, page by page, whatever its label or type.

It shares no query with what erases. The database's own numbers are only walked along; nobody is shown them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.graph.driver import Graph
from service.graph.query import Query, query

NUMBERS_PER_PAGE: Final = 1_000
"""Numbers, so rows at most: each can have properties up to the inline limit."""
EMPTY_PAGES_MAX: Final = 5_000
"""Pages without any row after which a walk that has not seen as many rows as there are gives up."""

read_nodes = query("absence/read_nodes")
read_relationships = query("absence/read_relationships")
count_nodes = query("absence/count_nodes")
count_relationships = query("absence/count_relationships")


@dataclass(slots=True)
class Walked:
    """How much of a whole a walk has seen."""

    seen: int = 0
    total: int = 0
    """The newest count."""

    @property
    def complete(self) -> bool:
        """Whether it has seen as many rows as there are."""
        return self.seen >= self.total


async def all_nodes(
    graph: Graph, tenant_id: str | None, walked: Walked
) -> AsyncIterator[list[dict[str, Any]]]:
    """Every node as `labels`, `properties`, `keeps_payload`, `loose`; where a tenant is named, that one's and
    those of none."""
    async for rows in _walk(graph, read_nodes, count_nodes, "nodes", tenant_id, walked):
        yield rows


async def all_relationships(
    graph: Graph, tenant_id: str | None, walked: Walked
) -> AsyncIterator[list[dict[str, Any]]]:
    """Every relationship as `type`, `properties`."""
    async for rows in _walk(
        graph, read_relationships, count_relationships, "relationships", tenant_id, walked
    ):
        yield rows


async def _walk(
    graph: Graph, reading: Query, counting: Query, column: str, tenant_id: str | None, walked: Walked
) -> AsyncIterator[list[dict[str, Any]]]:
    first = empty = most = 0
    while empty < EMPTY_PAGES_MAX:
        counted = await graph.read(counting.one)
        walked.total = counted["total"] if counted else 0
        # Rows that were seen and deleted since must not end it before others: it goes by the largest count.
        most = max(most, walked.total)
        if walked.seen >= most:
            return
        page = await graph.read(
            partial(reading.one, first=first, last=first + NUMBERS_PER_PAGE - 1, tenant_id=tenant_id)
        )
        seen = page["seen"] if page else 0
        walked.seen += seen
        empty = 0 if seen else empty + 1
        first += NUMBERS_PER_PAGE
        if page and page[column]:
            yield page[column]
