"""Gateway of proofs about the log: its entries as they stand, and signed tree heads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Final

from service.graph.driver import Graph, Transaction
from service.graph.query import Row, query

BRANCHES_PER_PAGE: Final = 500
TREE_HEADS_PER_PAGE: Final = 2_000
ENTRIES_PER_PAGE: Final = 1_000
"""Entries can have payloads up to the inline limit."""
HASHES_PER_PAGE: Final = 20_000

list_entries = query("event/list_entries")
list_hashes = query("event/list_hashes")
list_logs = query("branch/list_logs")
list_unsigned = query("branch/list_unsigned")
open_for_proof = query("branch/open_for_proof")
create_tree_heads = query("tree_head/create_tree_heads")
find_tree_head = query("tree_head/find_tree_head")
list_tree_heads = query("tree_head/list_tree_heads")


async def all_logs(graph: Graph, tenant_id: str) -> list[Row]:
    """A tenant's branches, as `service.log.verification.Log` takes them."""
    rows: list[Row] = []
    while True:
        after = rows[-1]["branch_uid"] if rows else ""
        page = await graph.read(
            partial(list_logs.many, tenant_id=tenant_id, after=after, limit=BRANCHES_PER_PAGE)
        )
        rows += page
        if len(page) < BRANCHES_PER_PAGE:
            return rows


async def all_tree_heads(graph: Graph, tenant_id: str) -> list[Row]:
    """A tenant's tree heads as they are stored, by branch and seq."""
    rows: list[Row] = []
    while True:
        last = rows[-1] if rows else {"branch_ref": -1, "seq": -1}
        found = await graph.read(
            partial(
                list_tree_heads.many,
                tenant_id=tenant_id,
                branch_ref=last["branch_ref"],
                seq=last["seq"],
                limit=TREE_HEADS_PER_PAGE,
            )
        )
        rows += [row["tree_head"] for row in found]
        if len(found) < TREE_HEADS_PER_PAGE:
            return rows


async def entries(
    graph: Graph, tenant_id: str, stretches: Iterable[tuple[int, int, int]], *, payloads: bool
) -> AsyncIterator[list[Row]]:
    """Entries of stretches `(branch_ref, floor, ceiling)`, page by page and in order; a page may span
    several.

    A row has the envelope's fields, its `hash`, and its `payload` (None where there is none, or where none is
    asked for). Stretches are taken up one after the other, so that a caller may stop giving more.
    """
    page: list[dict[str, int]] = []
    size = 0
    for branch_ref, floor, ceiling in stretches:
        page.append({"branch_ref": branch_ref, "floor": floor, "ceiling": ceiling})
        size += ceiling - floor
        if size >= ENTRIES_PER_PAGE:
            yield await _read(graph, tenant_id, page, payloads)
            page, size = [], 0
    if page:
        yield await _read(graph, tenant_id, page, payloads)


async def entries_at(
    tx: Transaction, tenant_id: str, places: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Row]:
    """Entries with their payloads by their places `(branch_ref, seq)`, those that are there."""
    stretches = [{"branch_ref": ref, "floor": seq - 1, "ceiling": seq} for ref, seq in places]
    rows = await list_entries.many(tx, tenant_id=tenant_id, stretches=stretches, payloads=True)
    return {(row["branch_ref"], row["seq"]): _with_payload(row) for row in rows}


async def hashes(graph: Graph, tenant_id: str, branch_ref: int, floor: int, ceiling: int) -> list[str]:
    """The hashes of a branch's events with `floor < seq <= ceiling`."""
    found: list[str] = []
    for start in range(floor, ceiling, HASHES_PER_PAGE):
        rows = await graph.read(
            partial(
                list_hashes.many,
                tenant_id=tenant_id,
                branch_ref=branch_ref,
                floor=start,
                ceiling=min(start + HASHES_PER_PAGE, ceiling),
            )
        )
        found += [row["hash"] for row in rows]
    return found


async def _read(graph: Graph, tenant_id: str, stretches: list[dict[str, int]], payloads: bool) -> list[Row]:
    rows = await graph.read(
        partial(list_entries.many, tenant_id=tenant_id, stretches=stretches, payloads=payloads)
    )
    return [_with_payload(row) for row in rows]


def _with_payload(row: Row) -> Row:
    """The row with its one payload; where there are several, with one that no commitment fits."""
    found = row.pop("payloads")
    return row | {"payload": found[0] if len(found) == 1 else {} if found else None}
