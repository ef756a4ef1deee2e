"""Gateway of tenants that leave: everything of one, found by the database's numbers, whatever its label."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, Final

from service.graph.driver import Graph, Transaction
from service.graph.query import query

NUMBERS_PER_STRETCH: Final = 20_000
NODES_PER_BATCH: Final = 500
BATCH_TIMEOUT_S: Final = 120.0
"""A node with very many edges takes its time."""
Row = dict[str, Any]

close_tenant = query("tenant/close_tenant")
delete_owned = query("tenant/delete_owned")
find_last = query("tenant/find_last")
list_owned = query("tenant/list_owned")


async def owned(
    graph: Graph, tenant_id: str, erase: Callable[[Transaction, Row], Awaitable[None]] | None = None
) -> AsyncIterator[Row]:
    """What is a tenant's, batch by batch: counts of `labels` and `edges`. With `erase` each batch is deleted,
    and that is called in its transaction."""
    found = await graph.read(find_last.sole)
    end = found["number"] + 1
    for first in range(0, end, NUMBERS_PER_STRETCH):
        last = min(first + NUMBERS_PER_STRETCH, end) - 1
        listed = await graph.read(partial(list_owned.sole, tenant_id=tenant_id, first=first, last=last))
        numbers = listed["numbers"]
        for start in range(0, len(numbers), NODES_PER_BATCH):
            some = numbers[start : start + NODES_PER_BATCH]
            batch, _ = await graph.write(
                partial(_batch, tenant_id=tenant_id, numbers=some, erase=erase), timeout_s=BATCH_TIMEOUT_S
            )
            yield batch


async def _batch(
    tx: Transaction,
    tenant_id: str,
    numbers: list[int],
    erase: Callable[[Transaction, Row], Awaitable[None]] | None,
) -> Row:
    row = await delete_owned.sole(tx, tenant_id=tenant_id, numbers=numbers, erase=erase is not None)
    if erase is not None and row["labels"]:
        await erase(tx, row)
    return row
