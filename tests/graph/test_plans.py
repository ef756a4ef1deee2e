"""Every query of the house has the plan that its header promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from service.graph.driver import Graph, Transaction
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
SEEK = re.compile(r"(?:UNIQUE|RANGE INDEX|TEXT INDEX) \w+:(\w+)\(([\w, ]+)\)")
MANY_ROWS_SEEK = re.compile(r"[<>]|IS NOT NULL| IN ")

Plan = dict[str, Any]


@pytest.mark.parametrize("name", NAMES)
async def test_a_plan_is_what_the_header_promises(graph: Graph, name: str) -> None:
    explained = query(name)
    plan = await explain(graph, explained)
    header = explained.header
    operators = {operator(step) for step in steps(plan)}
    assert not [name for name in operators if name.endswith(WHOLE_GRAPH_SCANS)]
    assert header.indexes == () or "NodeByLabelScan" not in operators, "it scans a label beside its indexes"
    assert not [step for step in steps(plan) if operator(step) == "CartesianProduct" and not single_row(step)]
    assert ("Eager" in operators) == (header.eager is not None), (
        "an Eager is explained where, and only where, it is"
    )
    assert set(header.indexes) <= used_indexes(plan)


async def test_scans_products_and_eagers_are_seen(graph: Graph) -> None:
    text = """// Do everything wrong.
// scope: system · access: write · index: none (a bad example)
// params: none
// returns: (none)
MATCH (a:Message), (b:Message)
WHERE a.seq < b.seq
SET a.seq = b.seq
"""
    plan = await explain(graph, Query("message/do_wrong", text))
    assert {"NodeByLabelScan", "CartesianProduct", "Eager"} <= {operator(step) for step in steps(plan)}
    assert not single_row(plan)
    assert used_indexes(plan) == set()


async def explain(graph: Graph, explained: Query) -> Plan:
    """The plan of a query, with values of the declared types."""
    values = {name: sample(kind) for name, kind in explained.header.params.items()}

    async def work(tx: Transaction) -> Plan | None:
        result = await tx.run(f"EXPLAIN {explained.statement}", values)
        return (await result.consume()).plan

    plan, _ = await graph.write(work)
    assert plan is not None
    return plan


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


def single_row(product: Plan) -> bool:
    """Whether a product multiplies single rows only: unique seeks by the whole key."""
    leaves = [step for step in steps(product) if not step.get("children")]
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
