"""A tenant's log as it lies in the database: read, changed behind the service's back, and put back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from notary import Notary
from served import Rows

Row = dict[str, Any]
READ = """
MATCH (b:Branch {tenant_id: $t})
RETURN elementId(b) AS id, properties(b) AS branch,
       COLLECT {
         MATCH (b)-[i:INHERITS]->(p:Branch) RETURN {id: elementId(i), parent: elementId(p), cutoff: i.cutoff}
       } AS parents,
       COLLECT {
         MATCH (e:Event {branch_ref: b.branch_ref})-[:HAS_PAYLOAD]->(p:Payload)
         RETURN {id: elementId(e), event: properties(e), payload_id: elementId(p), payload: properties(p)}
         ORDER BY e.seq
       } AS events,
       COLLECT {
         MATCH (h:TreeHead {branch_ref: b.branch_ref})
         RETURN {id: elementId(h), head: properties(h)}
         ORDER BY h.seq
       } AS heads
ORDER BY b.uid
"""
DROP = "MATCH (n:Event|Payload|TreeHead {tenant_id: $t}) DETACH DELETE n"
RESTORE = """
UNWIND $branches AS row
MATCH (b) WHERE elementId(b) = row.id
SET b = row.branch
WITH b, row
OPTIONAL MATCH (b)-[i:INHERITS]->()
DELETE i
WITH DISTINCT b, row
FOREACH (one IN row.events |
  CREATE (e:Event)-[:HAS_PAYLOAD]->(p:Payload) SET e = one.event, p = one.payload)
FOREACH (one IN row.heads | CREATE (h:TreeHead) SET h = one.head)
WITH b, row
UNWIND row.parents AS parent
MATCH (p) WHERE elementId(p) = parent.parent
CREATE (b)-[:INHERITS {cutoff: parent.cutoff}]->(p)
"""


@dataclass(frozen=True)
class StoredLog:
    """What was there before anything was changed: branches with their events, heads and parents."""

    notary: Notary
    branches: list[Row]

    @classmethod
    async def read(cls, notary: Notary, rows: Rows) -> StoredLog:
        return cls(notary, await rows(READ, t=notary.platform.tenant_id))

    async def put_back(self) -> None:
        """Make it what it was; only what is no part of the log may have been kept."""
        await do(self.notary, DROP)
        await do(self.notary, RESTORE, branches=self.branches)


async def do(notary: Notary, text: str, **more: Any) -> None:
    """Write to the database behind the service's back."""
    await notary.graph.write(lambda tx: tx.run(text, {"t": notary.platform.tenant_id, **more}))


async def assign(notary: Notary, element_id: str, values: Row, *, edge: bool = False) -> None:
    """Change properties of a node or an edge."""
    pattern = "()-[n]->()" if edge else "(n)"
    await do(
        notary, f"MATCH {pattern} WHERE elementId(n) = $id SET n += $values", id=element_id, values=values
    )
