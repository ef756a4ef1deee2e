"""Keep edges between things that the platform names, and between its users and these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from service.clock import Clock
from service.errors import InvalidRequest, UnknownReference
from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.relationships import EDGES
from service.model.vocabulary import Label, Relationship
from service.usecases.erased_ids import ErasedIds

PUT_BY_PLATFORM: Final = (
    *(Relationship.BOOKED, Relationship.VIEWED),
    *(Relationship.SIMILAR_TO, Relationship.PRICED_AGAINST),
)
ID_NAMES: Final = {
    Label.USER: "user_id",
    Label.PRODUCT: "product_id",
    Label.BOOKING: "booking_id",
    Label.COMPETITOR_PRICE: "competitor_price_id",
}


@dataclass(frozen=True, slots=True)
class End:
    """An end of an edge, by the client's id."""

    label: Label
    client_id: str


@dataclass(frozen=True, slots=True)
class PlatformEdge:
    """An edge as the platform knows it; `weight` and `occurred_at` count where the edge ages."""

    relationship: Relationship
    start: End
    end: End
    weight: float = 1.0
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ConnectEntities:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    erased: ErasedIds

    async def __call__(self, caller: Caller, edges: Sequence[PlatformEdge]) -> None:
        """Keep the edges, all or none, each once between its ends; put again they change nothing.

        A user who is not known yet is made. Raises UnknownReference, Gone, and InvalidRequest
        where an end is not of the relationship's.
        """
        for index, edge in enumerate(edges):
            _check_ends(edge, f"edges[{index}]")
        ends = {end for edge in edges for end in (edge.start, edge.end)}
        named = {
            f"{name}s": sorted(end.client_id for end in ends if end.label is label)
            for label, name in ID_NAMES.items()
        }

        async def work(tx: Transaction) -> None:
            now = self.clock()
            await self.erased.ensured_users(
                tx, caller.tenant_id, named["user_ids"], now, lambda user_id: _place(edges, user_id)
            )
            found = await knowledge_graph.find_entities.many(tx, tenant_id=caller.tenant_id, named=named)
            uids = {End(Label(row["label"]), row["id"]): row["uid"] for row in found}
            rows = [_row(edge, uids, f"edges[{index}]", now) for index, edge in enumerate(edges)]
            rows.sort(key=lambda row: (row["product_uid"], row["other_uid"]))
            await knowledge_graph.connect_products.none(tx, tenant_id=caller.tenant_id, edges=rows)

        await self.graph.write(work)


def _check_ends(edge: PlatformEdge, location: str) -> None:
    known = EDGES[edge.relationship]
    for name, end, labels in (("start", edge.start, known.starts), ("end", edge.end, known.ends)):
        if end.label not in labels:
            wanted = " or ".join(ID_NAMES[label] for label in labels)
            problem = f"must be named by {wanted} for this relationship"
            raise InvalidRequest([{"location": f"{location}.{name}", "problem": problem}])


def _place(edges: Sequence[PlatformEdge], user_id: str) -> str:
    """Where the edges name a user."""
    user = End(Label.USER, user_id)
    at = next(at for at, edge in enumerate(edges) if user in (edge.start, edge.end))
    return f"edges[{at}].{'start' if edges[at].start == user else 'end'}.user_id"


def _row(edge: PlatformEdge, uids: dict[End, str], location: str, now: datetime) -> dict[str, Any]:
    for name, end in (("start", edge.start), ("end", edge.end)):
        if end not in uids:
            raise UnknownReference(f"{location}.{name}.{ID_NAMES[end.label]}")
    from_product = edge.start.label is Label.PRODUCT
    product, other = (edge.start, edge.end) if from_product else (edge.end, edge.start)
    return {
        "relationship": edge.relationship.value,
        "product_uid": uids[product],
        "other_uid": uids[other],
        "weight": edge.weight,
        "strengthened_at": edge.occurred_at or now,
        "recorded_at": now,
    }
