"""Gateway of tenants that leave: everything of one, found by the database's numbers, whatever its label."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, Final

from service.graph.driver import Graph, Transaction
from service.graph.query import query

NUMBERS_PER_BATCH: Final = 500
EMPTY_BATCHES_MAX: Final = 10_000
"""Batches without any node after which a walk that has not seen as many nodes as there are ends."""
BATCH_TIMEOUT_S: Final = 120.0
"""A node with very many edges takes its time."""
Row = dict[str, Any]

close_tenant = query("tenant/close_tenant")
delete_owned = query("tenant/delete_owned")
count_nodes = query("tenant/count_nodes")


async def owned(
    graph: Graph, tenant_id: str, erase: Callable[[Transaction, Row], Awaitable[None]] | None = None
) -> AsyncIterator[Row]:
    """What is a tenant's, batch by batch: counts of `labels` and `edges`. With `erase` each batch is deleted,
    and that is called in its transaction."""
    counted = await graph.read(count_nodes.one)
    total = counted["total"] if counted else 0
    first = seen = empty = 0
    while seen < total and empty < EMPTY_BATCHES_MAX:
        last = first + NUMBERS_PER_BATCH - 1
        batch, _ = await graph.write(
            partial(_batch, tenant_id=tenant_id, first=first, last=last, erase=erase),
            timeout_s=BATCH_TIMEOUT_S,
        )
        seen += batch["seen"]
        empty = 0 if batch["seen"] else empty + 1
        first = last + 1
        yield batch


async def _batch(
    tx: Transaction,
    tenant_id: str,
    first: int,
    last: int,
    erase: Callable[[Transaction, Row], Awaitable[None]] | None,
) -> Row:
    row = await delete_owned.one(tx, tenant_id=tenant_id, first=first, last=last, erase=erase is not None)
    assert row is not None, "the query answers one row whatever there is"
    if erase is not None and row["labels"]:
        await erase(tx, row)
    return row
