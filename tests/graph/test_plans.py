"""Every query of the house has the plan that its header promises."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationMinimumSeverity

from service.embedded import Database
from service.graph.driver import Graph
from service.graph.query import CYPHER_FOLDER, Query, query
from service.graph.schema import declared_schema

NAMES = sorted(
    str(path.relative_to(CYPHER_FOLDER).with_suffix("")) for path in CYPHER_FOLDER.rglob("*.cypher")
)
SAMPLES: dict[str, Any] = {
    "str": "x",
    "int": 1,
    "float": 1.0,
    "bool": True,
    "bytes": b"",
    "map": {},
    "datetime": datetime(2026, 1, 1, tzinfo=UTC),
}
WHOLE_GRAPH_SCANS = ("AllNodesScan", "AllRelationshipsScan", "RelationshipTypeScan")
WHOLE_ON_PURPOSE = ("absence/find_last", "tenant/find_last")
"""They ask how far the database's own numbers go, once in a walk that passes every node."""
SEEK = re.compile(r"(?:UNIQUE|RANGE INDEX|TEXT INDEX) \w+:(\w+)\(([\w, ]+)\)")
MANY_ROWS_SEEK = re.compile(r"[<>]|IS NOT NULL| IN ")

Plan = dict[str, Any]


@pytest.fixture(scope="module")
async def driver(neo4j_server: Database, graph: Graph) -> AsyncIterator[AsyncDriver]:
    """A bare connection to the migrated database."""
    async with AsyncGraphDatabase.driver(
        neo4j_server.uri,
        auth=(neo4j_server.user, neo4j_server.password),
        notifications_min_severity=NotificationMinimumSeverity.OFF,
    ) as driver:
        yield driver


@pytest.mark.parametrize("name", NAMES)
async def test_a_plan_is_what_the_header_promises(driver: AsyncDriver, name: str) -> None:
    explained = query(name)
    plan = await explain(driver, explained)
    header = explained.header
    operators = {operator(step) for step in steps(plan)}
    scans = [each for each in operators if each.endswith(WHOLE_GRAPH_SCANS)]
    assert scans == (["AllNodesScan"] if name in WHOLE_ON_PURPOSE else [])
    assert header.indexes == () or "NodeByLabelScan" not in operators, "it scans a label beside its indexes"
    products = [step for step in steps(plan) if operator(step) == "CartesianProduct"]
    assert not any(is_multiplying(product) for product in products)
    assert header.eager or "Eager" not in operators, "say in the header why it is eager"
    assert set(header.indexes) <= used_indexes(plan)


async def test_scans_products_and_eagers_are_seen(driver: AsyncDriver) -> None:
    text = """// Do everything wrong.
// scope: system · access: write · index: none (a bad example)
// params: none
// returns: (none)
MATCH (a:Message), (b:Message)
WHERE a.seq < b.seq
SET a.seq = b.seq
"""
    plan = await explain(driver, Query("message/do_wrong", text))
    assert {"NodeByLabelScan", "CartesianProduct", "Eager"} <= {operator(step) for step in steps(plan)}
    assert any(is_multiplying(step) for step in steps(plan) if operator(step) == "CartesianProduct")
    assert used_indexes(plan) == set()


async def explain(driver: AsyncDriver, explained: Query) -> Plan:
    """The plan of a query, with values of the declared types. The database's complaints show."""
    values = {name: sample(kind) for name, kind in explained.header.params.items()}
    answer = await driver.execute_query(f"EXPLAIN {explained.statement}", values)
    assert answer.summary.plan is not None
    return answer.summary.plan


def sample(kind: str) -> Any:
    """A value of a header's type."""
    kind = kind.removesuffix(" | None")
    return [sample(kind[5:-1])] if kind.startswith("list[") else SAMPLES[kind]


def steps(plan: Plan) -> Iterator[Plan]:
    """A plan's operators, from the result down."""
    yield plan
    for child in plan.get("children", ()):
        yield from steps(child)


def operator(step: Plan) -> str:
    """Its name without the runtime's suffix."""
    return str(step["operatorType"]).partition("@")[0]


def is_multiplying(product: Plan) -> bool:
    """Whether a product has many rows on both sides; a single row beside many multiplies nothing."""
    return not any(single_row(side) for side in product["children"])


def single_row(plan: Plan) -> bool:
    """Whether a plan gives one row at most: it only seeks unique nodes by their whole keys."""
    leaves = [step for step in steps(plan) if not step.get("children")]
    return all(
        operator(leaf).startswith("NodeUniqueIndexSeek") and not MANY_ROWS_SEEK.search(details(leaf))
        for leaf in leaves
    )


def used_indexes(plan: Plan) -> set[str]:
    """Names of the declared indexes that a plan seeks in."""
    sought = {
        (label, tuple(keys.split(", ")))
        for step in steps(plan)
        for label, keys in SEEK.findall(details(step))
    }
    return {item.name for item in declared_schema() if (item.label, item.properties) in sought}


def details(step: Plan) -> str:
    """What the operator does, in Neo4j's words."""
    return str(step.get("args", {}).get("Details", ""))
