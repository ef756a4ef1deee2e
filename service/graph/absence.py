"""Gateway of the absence scan: everything the database holds, page by page, whatever its label or type.

It shares no query with what erases. The database's own numbers are only walked along; nobody is shown them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.graph.driver import Graph
from service.graph.query import query
from service.model.nodes import NODES
from service.model.vocabulary import Label

NUMBERS_PER_STRETCH: Final = 5_000
NODES_PER_PAGE: Final = 100
"""While a page is taken apart nobody else is served; a property may be as long as the inline limit."""

KEEPS_PSEUDONYMS: Final = frozenset({Label.EVENT, Label.PRIVACY_REQUEST, Label.LEGAL_HOLD})
"""Labels that may go on naming an erased person by the pseudonym, in `subject_uids`."""
FREED_LABELS: Final = frozenset(
    label.value
    for label, node in NODES.items()
    if "subject_uids" in node.properties and label not in KEEPS_PSEUDONYMS
)
"""Labels that name no erased person there."""
ERASED_WITH_THEIR_PEOPLE: Final = FREED_LABELS | {Label.EVENT.value}
"""Of an event the payload is erased: its envelope holds nobody's words."""

find_last = query("absence/find_last")
list_numbers = query("absence/list_numbers")
read_nodes = query("absence/read_nodes")


@dataclass(slots=True)
class Walked:
    """How many nodes a walk has looked at, those of other tenants too."""

    seen: int = 0


async def all_nodes(
    graph: Graph, tenant_id: str | None, walked: Walked, *, without: Collection[str] = ()
) -> AsyncIterator[list[dict[str, Any]]]:
    """Every node as `labels`, `properties` (those that may hold words), `relationships` (the outgoing ones
    that say something, by `type` and `properties`), `keeps_payload`, `loose`; where a tenant is named, that
    one's and those of none. What is of the people `without` and of nobody else stays away.

    A node keeps its number while it lives: whatever is there when the walk begins, and stays, is seen. Others
    may write meanwhile.
    """
    found = await graph.read(find_last.sole)
    end = found["number"] + 1
    for first in range(0, end, NUMBERS_PER_STRETCH):
        last = min(first + NUMBERS_PER_STRETCH, end) - 1
        listing = partial(
            list_numbers.sole,
            first=first,
            last=last,
            tenant_id=tenant_id,
            without=list(without),
            erased=sorted(ERASED_WITH_THEIR_PEOPLE),
        )
        listed = await graph.read(listing)
        walked.seen += listed["seen"]
        numbers = listed["numbers"]
        for start in range(0, len(numbers), NODES_PER_PAGE):
            page = numbers[start : start + NODES_PER_PAGE]
            rows = await graph.read(partial(read_nodes.many, numbers=page, tenant_id=tenant_id))
            yield [{**row, "properties": dict(row["said"])} for row in rows]
