"""Delete the answers to batches that are older than `idempotency_retention_days`."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final

from jobs.job import Deps, Report
from service.graph.idempotency_records import count_old, delete_old

SCHEDULE: Final = timedelta(hours=1)
BATCH_ROWS: Final = 500
BATCHES_MAX: Final = 2_000
"""A million records in one run; what is left is for the next one."""


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many were `deleted`, or are `old`. Each batch is a transaction of its own."""
    before = deps.clock() - timedelta(days=deps.settings.idempotency_retention_days)
    if dry_run:
        row = await deps.graph.read(partial(count_old.one, before=before))
        return {"sound": True, "old": row["records"] if row else 0}
    deleted = 0
    for _ in range(BATCHES_MAX):
        row, _ = await deps.graph.write(partial(delete_old.one, before=before, limit=BATCH_ROWS))
        batch = row["deleted"] if row else 0
        deleted += batch
        if batch < BATCH_ROWS:
            break
    return {"sound": True, "deleted": deleted}
