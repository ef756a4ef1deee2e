"""Gateway of the absence scan: everything the database holds, page by page, whatever its label or type.

It shares no query with what erases. The database's own numbers are only walked along; nobody is shown them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.graph.driver import Graph
from service.graph.query import query

NUMBERS_PER_PAGE: Final = 500
"""Numbers, so nodes at most: each can have properties up to the inline limit, and while a page is taken apart
nobody else is served."""
EMPTY_PAGES_MAX: Final = 10_000
"""Pages without any node after which a walk that has not seen as many nodes as there are gives up."""

read_nodes = query("absence/read_nodes")
count_nodes = query("absence/count_nodes")


@dataclass(slots=True)
class Walked:
    """How many nodes a walk has seen."""

    seen: int = 0
    total: int = 0
    """The newest count."""

    @property
    def complete(self) -> bool:
        """Whether it has seen as many as there are."""
        return self.seen >= self.total


async def all_nodes(
    graph: Graph, tenant_id: str | None, walked: Walked
) -> AsyncIterator[list[dict[str, Any]]]:
    """Every node as `labels`, `properties`, `relationships` (the outgoing ones that say something, by `type`
    and `properties`), `keeps_payload`, `loose`; where a tenant is named, that one's and those of none."""
    first = empty = most = 0
    while empty < EMPTY_PAGES_MAX:
        if empty or walked.seen >= most:  # else there are more for certain
            counted = await graph.read(count_nodes.one)
            walked.total = counted["total"] if counted else 0
            # Nodes that were seen and deleted since must not end it before others: the largest count rules.
            most = max(most, walked.total)
        if walked.seen >= most:
            return
        last = first + NUMBERS_PER_PAGE - 1
        page = await graph.read(partial(read_nodes.one, first=first, last=last, tenant_id=tenant_id))
        assert page is not None
        walked.seen += page["seen"]
        empty = 0 if page["seen"] else empty + 1
        first = last + 1
        yield page["nodes"]
