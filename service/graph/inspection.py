"""Whether the graph keeps its rules: the invariants of `cypher/invariants/`, and the closed vocabulary.

An invariant is a query that must return no row. Its columns are ids of the service and numbers.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from service.graph.driver import Graph, Transaction
from service.graph.query import CYPHER_FOLDER, Row, query
from service.model.nodes import NODES
from service.model.properties import PROPERTIES
from service.model.relationships import EDGES

OFFENCES_MAX: Final = 20
"""Rows that one broken invariant shows."""
TENANTS_PER_PAGE: Final = 500

INVARIANTS: Final = {
    path.stem: query(f"invariants/{path.stem}") for path in sorted((CYPHER_FOLDER / "invariants").glob("*"))
}
list_tenants = query("tenant/list_tenants")
list_lineages = query("branch/list_lineages")
list_node_properties = query("schema/list_node_properties")
list_relationship_properties = query("schema/list_relationship_properties")

_STORED_TYPES = {
    "str": {"String"},
    "json": {"String"},
    "int": {"Long"},
    "float": {"Double"},
    "bool": {"Boolean"},
    "datetime": {"DateTime"},
    "list[str]": {"StringArray"},
    "list[int]": {"LongArray", "StringArray"},  # Neo4j keeps an empty list as one of strings
}


async def broken_invariants(graph: Graph, tenant_id: str) -> dict[str, list[Row]]:
    """The invariants that a tenant's data breaks, each with up to OFFENCES_MAX offending rows."""

    async def work(tx: Transaction) -> dict[str, list[Row]]:
        found = {
            name: await invariant.many(tx, tenant_id=tenant_id, limit=OFFENCES_MAX)
            for name, invariant in INVARIANTS.items()
        }
        return {name: rows for name, rows in found.items() if rows}

    return await graph.read(work)


async def all_tenants(graph: Graph) -> dict[str, str]:
    """Every tenant's name by its id."""
    names: dict[str, str] = {}
    after = ""
    while True:
        page = await graph.read(partial(list_tenants.many, after=after, limit=TENANTS_PER_PAGE))
        names |= {row["tenant_id"]: row["name"] for row in page}
        if len(page) < TENANTS_PER_PAGE:
            return names
        after = page[-1]["tenant_id"]


async def outside_vocabulary(graph: Graph) -> list[str]:
    """What the database holds that the model does not name, one line each. Reads the whole database."""

    async def work(tx: Transaction) -> list[str]:
        nodes = {label.value: node.properties for label, node in NODES.items()}
        edges = {kind.value: edge.properties for kind, edge in EDGES.items()}
        odd = [_odd(":".join(row["labels"]), row, nodes) for row in await list_node_properties.many(tx)]
        odd += [
            _odd(row["type"].strip(":`"), row, edges) for row in await list_relationship_properties.many(tx)
        ]
        return sorted({line for line in odd if line})

    return await graph.read(work)


def _odd(name: str, row: dict[str, Any], known: dict[str, tuple[str, ...]]) -> str | None:
    """One line when this label or type, this property or its type is not of the model."""
    if name not in known:
        return f"{name} is not in the vocabulary"
    if row["property"] is None:
        return None
    if row["property"] not in known[name]:
        return f"{name}.{row['property']} is not in the vocabulary"
    kind = PROPERTIES[row["property"]].kind
    odd_types = set(row["types"]) - _STORED_TYPES[kind]
    return (
        f"{name}.{row['property']} should be {kind}, not {', '.join(sorted(odd_types))}"
        if odd_types
        else None
    )
