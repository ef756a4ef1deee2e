"""A query runs with exactly its parameters and answers rows as plain data, in order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from service.graph.driver import Graph
from service.graph.query import Query

COUNTED = """// Count down.
// scope: system · access: read · index: none (no data)
// params: limit: int
// returns: number: int, halves: list[float], word: str | None (many)
UNWIND range(1, $limit) AS n
RETURN n AS number, [n / 2.0] AS halves, CASE WHEN n % 2 = 0 THEN 'even' END AS word
ORDER BY number DESC
"""
DISTINCT = """// Say each remainder once.
// scope: system · access: read · index: none (no data)
// params: numbers: list[int]
// returns: remainder: int (many)
UNWIND $numbers AS n
RETURN DISTINCT n % 3 AS remainder ORDER BY remainder
"""
MOMENTS = """// Give back moments.
// scope: system · access: read · index: none (no data)
// params: at: datetime, more: list[datetime]
// returns: at: datetime, never: datetime | None, more: list[datetime] (one)
RETURN $at AS at, null AS never, $more AS more
"""
NUMBERS = """// Give as many rows as are asked for.
// scope: system · access: read · index: none (no data)
// params: limit: int
// returns: n: int (one)
UNWIND range(1, $limit) AS n
RETURN n
"""
QUIET = """// Lock a tenant that is not there.
// scope: system · access: write · index: tenant_key
// params: tenant_id: str
// returns: (none)
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.name = t.name
"""


@pytest.mark.parametrize("count", [0, 1, 6000])
async def test_many_rows_come_complete_and_in_order(graph: Graph, count: int) -> None:
    """6,000 rows are more than the driver takes in one round trip."""
    rows = await many(graph, COUNTED, limit=count)
    assert [row["number"] for row in rows] == list(range(count, 0, -1))
    assert (
        rows[:1]
        == [{"number": count, "halves": [count / 2], "word": "even" if count % 2 == 0 else None}][:count]
    )


async def test_distinct_rows_stay_distinct(graph: Graph) -> None:
    assert await many(graph, DISTINCT, numbers=[5, 4, 3, 2]) == [{"remainder": n} for n in (0, 1, 2)]


async def test_moments_come_back_aware_and_in_utc(graph: Graph) -> None:
    at = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
    moments = Query("moment/give_back", MOMENTS)
    row = await graph.read(lambda tx: moments.one(tx, at=at, more=[at]))
    assert row == {"at": at, "never": None, "more": [at]}
    assert row["at"].tzinfo is UTC


async def test_one_is_a_row_or_none_and_a_second_row_is_an_error(graph: Graph) -> None:
    numbers = Query("number/give_some", NUMBERS)
    assert await graph.read(lambda tx: numbers.one(tx, limit=0)) is None
    assert await graph.read(lambda tx: numbers.one(tx, limit=1)) == {"n": 1}
    with pytest.raises(RuntimeError, match="promised one row"):
        await graph.read(lambda tx: numbers.one(tx, limit=2))


async def test_a_query_without_rows_answers_none(graph: Graph, tenant_id: str) -> None:
    quiet = Query("tenant/lock_tenant", QUIET)
    answer, _ = await graph.write(lambda tx: quiet.none(tx, tenant_id=tenant_id))
    assert answer is None


@pytest.mark.parametrize(
    ("params", "odd"), [({}, "limit"), ({"limit": 1, "more": 2}, "more"), ({"limits": 1}, "limit, limits")]
)
async def test_missing_and_undeclared_parameters_are_refused(
    graph: Graph, params: dict[str, Any], odd: str
) -> None:
    with pytest.raises(TypeError, match=f"{odd}$"):
        await many(graph, COUNTED, **params)


async def test_a_query_is_run_only_as_its_header_says(graph: Graph) -> None:
    numbers = Query("number/give_some", NUMBERS)
    with pytest.raises(TypeError, match="answers with"):
        await graph.read(lambda tx: numbers.many(tx, limit=1))


async def many(graph: Graph, text: str, **params: Any) -> list[dict[str, Any]]:
    """The rows of a query given by its text."""
    asked = Query("number/give_some", text)
    return await graph.read(lambda tx: asked.many(tx, **params))
