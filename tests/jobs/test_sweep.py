"""Answers to batches are kept for their time, and then deleted in batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from served import Rows

from jobs import sweep_idempotency_records
from jobs.job import Deps
from service.clock import FixedClock
from service.graph.driver import Graph
from service.ids import new_uid
from service.settings import Settings

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
"""Before any record of another test, whose records no sweep here may reach."""
MAKE = """
UNWIND range(1, $count) AS n
CREATE (:IdempotencyRecord {tenant_id: $t, key: $kind + n, created_at: $at, request_hash: '', answer: '{}'})
"""
COUNT = "MATCH (i:IdempotencyRecord {tenant_id: $t}) RETURN count(i) AS records"


async def test_what_is_older_than_the_setting_is_deleted_batch_by_batch(
    graph: Graph, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_idempotency_records, "BATCH_ROWS", 10)
    tenant_id = new_uid()
    for kind, count, age in (("old", 25, timedelta(days=3, seconds=1)), ("new", 4, timedelta(days=3))):
        made = {"t": tenant_id, "kind": kind, "count": count, "at": LONG_AGO - age}
        await graph.write(lambda tx, made=made: tx.run(MAKE, made))
    deps = Deps(graph, FixedClock(LONG_AGO), Settings(idempotency_retention_days=3))

    assert await sweep_idempotency_records.run(deps, dry_run=True) == {"sound": True, "old": 25}
    assert await rows(COUNT, t=tenant_id) == [{"records": 29}]

    monkeypatch.setattr(sweep_idempotency_records, "BATCHES_MAX", 2)
    assert await sweep_idempotency_records.run(deps, dry_run=False) == {"sound": True, "deleted": 20}
    assert await sweep_idempotency_records.run(deps, dry_run=False) == {"sound": True, "deleted": 5}
    assert await rows(COUNT, t=tenant_id) == [{"records": 4}]


def test_a_batch_has_at_most_500_rows() -> None:
    assert sweep_idempotency_records.BATCH_ROWS <= 500
