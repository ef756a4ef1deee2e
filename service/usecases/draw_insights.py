"""Draw a tenant's insights from what its users asked; what holds on stays the same node."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from service.clock import Clock
from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.ids import new_uid
from service.model.vocabulary import PrivacyClass
from service.policies.insights import AskedQuery, Drawn, Search, draw
from service.usecases.configure_tenant import Configurations

QUERIES_MAX: Final = 5_000
"""Queries that insights are drawn from, those asked last."""
INSIGHTS_MAX: Final = 64
VALID_DAYS: Final = 7
"""An insight that is not drawn again for so long ends by itself."""


@dataclass(frozen=True, slots=True)
class DrawInsights:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    configurations: Configurations

    async def __call__(self, tenant_id: str) -> int:
        """Bring the insights up to date; answers how many hold. What one says is never changed: contexts
        that had it are explained by it, so another rank or wording is another insight. Who asked is counted
        on."""

        async def work(tx: Transaction) -> int:
            now = self.clock()
            known = await knowledge_graph.lock_tenant.one(tx, tenant_id=tenant_id)
            if known is None:
                return 0
            settings = (await self.configurations.read(tx, tenant_id, known["active_version"])).knowledge
            asked = await knowledge_graph.list_asked.many(tx, tenant_id=tenant_id, limit=QUERIES_MAX)
            drawn = {
                _key(one): one for one in draw(list(map(_query, asked)), settings, known["node_count"], now)
            }
            rows = await knowledge_graph.list_standing.many(
                tx, tenant_id=tenant_id, now=now, limit=INSIGHTS_MAX
            )
            standing = {_key_of(row): row["uid"] for row in rows}
            await knowledge_graph.draw_insights.none(
                tx,
                tenant_id=tenant_id,
                now=now,
                ended_uids=[uid for key, uid in standing.items() if key not in drawn],
                prolonged=[
                    {"uid": uid, "asker_count": drawn[key].asker_count}
                    for key, uid in standing.items()
                    if key in drawn
                ],
                valid_until=now + timedelta(days=VALID_DAYS),
                insights=[
                    {"source_uid": one.source_uid, "properties": _properties(one, known["node_count"])}
                    for key, one in drawn.items()
                    if key not in standing
                ],
            )
            return len(drawn)

        held, _ = await self.graph.write(work)
        return held


def _key(one: Drawn) -> tuple[Any, ...]:
    return (one.kind.value, one.source_uid, one.text, one.rank, one.privacy_class.value)


def _key_of(row: Row) -> tuple[Any, ...]:
    source = row["source_uids"][0] if row["source_uids"] else None
    return (row["insight_kind"], source, row["text"], row["rank"], row["privacy_class"])


def _properties(one: Drawn, node_count: int) -> Row:
    return {
        "uid": new_uid(),
        "insight_kind": one.kind.value,
        "text": one.text,
        "rank": one.rank,
        "asker_count": one.asker_count,
        "node_count": node_count,
        "privacy_class": one.privacy_class.value,
    }


def _query(row: Row) -> AskedQuery:
    return AskedQuery(
        uid=row["uid"],
        text=row["text"],
        privacy_class=PrivacyClass(row["privacy_class"]),
        askers=frozenset(row["askers"]),
        answer_weights=tuple(row["answer_weights"]),
        searched=tuple(
            Search(
                one["uid"],
                one["title"],
                one["initial_weight"],
                datetime.fromtimestamp(one["strengthened_ms"] / 1000, UTC),
            )
            for one in row["searched"]
        ),
    )
