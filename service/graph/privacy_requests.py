"""Gateway of what people ask for by right: the requests, and how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from service.graph.driver import Graph
from service.graph.query import query

EVENTS_PER_PAGE: Final = 500

create_request = query("privacy_request/create_request")
find_request = query("privacy_request/find_request")
read_request = query("privacy_request/read_request")
list_requests = query("privacy_request/list_requests")
list_approved = query("privacy_request/list_approved")
update_request = query("privacy_request/update_request")
take_up = query("privacy_request/take_up")
lock_requests = query("privacy_request/lock_requests")
list_standing = query("privacy_request/list_standing")
list_exports = query("privacy_request/list_exports")
list_old_exports = query("privacy_request/list_old_exports")
note_done = query("privacy_request/note_done")

_count_erased = query("privacy_request/count_erased")


async def count_erased(
    graph: Graph, tenant_id: str, branch_refs: Sequence[int], erased_by: str
) -> tuple[int, int]:
    """How many events of the branches a request took the payload of, and to how many of them another event
    gave other words; page by page."""
    events = redacted = 0
    for branch_ref in branch_refs:
        after: int | None = 0
        while after is not None:
            counting = partial(
                _count_erased.sole,
                tenant_id=tenant_id,
                branch_ref=branch_ref,
                after=after,
                limit=EVENTS_PER_PAGE,
                erased_by=erased_by,
            )
            found = await graph.read(counting)
            events += found["events"]
            redacted += found["redacted"]
            after = found["last"] if found["seen"] == EVENTS_PER_PAGE else None
    return events, redacted
