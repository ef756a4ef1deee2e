"""One tenant's nodes and relationships, written again as those of many others.

Whatever labels and properties the service gives a tenant, its copies have them too. Client ids and texts
stay; what the service made to be unique (uids, branch refs, names) is another in each copy. Hashes and
signatures are not made anew: no proof of a copy's log holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bench.harness import for_each
from service.graph.driver import Graph, Transaction

Row = dict[str, Any]
UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UID_TIME_DIGITS = 8
"""A uid begins with when it was made: copies were, as it looks, made in 1970."""
NAMED = ("name", "key_hash")
"""Unique in the whole database and no uid."""
REF_STEP = 1 << 26
"""Between a branch ref and that of its next copy, as 16 s earlier: a talk is recorded in less."""
BATCHES_AT_ONCE = 2

READ_NODES = """
MATCH (n) WHERE n.tenant_id = $tenant_id
RETURN elementId(n) AS id, labels(n)[0] AS label, properties(n) AS properties
"""
READ_LINKS = """
MATCH (a)-[r]->(b) WHERE a.tenant_id = $tenant_id AND b.tenant_id = $tenant_id
RETURN elementId(a) AS start, elementId(b) AS end, type(r) AS type, properties(r) AS properties
"""
WRITE_COPY = """
UNWIND $nodes AS row
CREATE (n:$(row.label))
SET n = row.properties
WITH collect(n) AS made
UNWIND $links AS link
WITH made[link.start] AS a, made[link.end] AS b, link
CREATE (a)-[r:$(link.type)]->(b)
SET r = link.properties
"""


@dataclass(frozen=True, slots=True)
class Original:
    """A tenant's graph; links name their ends by the index of the node."""

    nodes: list[Row]
    links: list[Row]

    def copy(self, number: int) -> dict[str, list[Row]]:
        """The parameters that write one copy; each number gives another."""
        refs = {row["properties"]["branch_ref"] for row in self.nodes if row["label"] == "Branch"}

        def other(name: str, value: Any) -> Any:
            match value:
                case list():
                    return [other(name, one) for one in value]
                case str() if UID.fullmatch(value):
                    return f"{number:0{UID_TIME_DIGITS}x}{value[UID_TIME_DIGITS:]}"
                case str() if name in NAMED:
                    return f"{value}-{number}"
                case int() if value in refs:
                    return value - number * REF_STEP
            return value

        def others(row: Row) -> Row:
            return {
                **row,
                "properties": {name: other(name, value) for name, value in row["properties"].items()},
            }

        return {"nodes": [others(row) for row in self.nodes], "links": [others(row) for row in self.links]}


async def read_original(graph: Graph, tenant_id: str) -> Original:
    """All that a tenant has, but for what is written while it is read."""

    async def work(tx: Transaction) -> Original:
        nodes = await (await tx.run(READ_NODES, tenant_id=tenant_id)).data()
        links = await (await tx.run(READ_LINKS, tenant_id=tenant_id)).data()
        index = {row.pop("id"): at for at, row in enumerate(nodes)}
        known = [link for link in links if link["start"] in index and link["end"] in index]
        return Original(
            nodes, [{**link, "start": index[link["start"]], "end": index[link["end"]]} for link in known]
        )

    return await graph.read(work)


async def write_copies(graph: Graph, original: Original, nodes: int) -> int:
    """Write copies, each in a transaction of its own, until they have `nodes` nodes; answers how many they
    have."""

    async def write(number: int) -> None:
        parameters = original.copy(number)

        async def work(tx: Transaction) -> None:
            await (await tx.run(WRITE_COPY, parameters)).consume()

        await graph.write(work)

    count = -(-nodes // len(original.nodes))
    await for_each(range(1, count + 1), write, at_once=BATCHES_AT_ONCE, what="writing foreign tenants")
    return count * len(original.nodes)
