"""Keep one thing that the platform names: a product, a document, a booking or a competitor's price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.clock import Clock
from service.errors import InvalidRequest
from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.graph.query import Query
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.vocabulary import Label
from service.text.mentions import NAME_WORDS_MAX, name_key
from service.usecases.erased_ids import ErasedIds

VALUE_BYTES_MAX: Final = 4_096
_PUTTING: Final[dict[Label, Query]] = {
    Label.PRODUCT: knowledge_graph.put_product,
    Label.DOCUMENT: knowledge_graph.put_document,
    Label.BOOKING: knowledge_graph.put_booking,
    Label.COMPETITOR_PRICE: knowledge_graph.put_competitor_price,
}


@dataclass(frozen=True, slots=True)
class Entity:
    """What is known of a thing; `user_id` is whose booking it is."""

    label: Label
    client_id: str
    title: str
    aliases: Sequence[str] = ()
    value: Any = None
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class PutEntity:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    erased: ErasedIds

    async def __call__(self, caller: Caller, entity: Entity) -> str:
        """Make the thing, or change what is known of it; answers its uid. Put again it changes nothing.

        Texts are held against its names from the next answer on. Raises InvalidRequest, Gone.
        """
        keys = _name_keys(entity)
        value = None if entity.value is None else canonical(entity.value)
        if value is not None and len(value.encode()) > VALUE_BYTES_MAX:
            raise InvalidRequest(
                [{"location": "value", "problem": f"has more than {VALUE_BYTES_MAX} bytes as JSON"}]
            )

        async def work(tx: Transaction) -> str:
            now = self.clock()
            row: dict[str, Any] = {
                "uid": new_uid(),
                "recorded_at": now,
                "title": entity.title,
                "aliases": list(entity.aliases),
                "value": value,
                "user_uid": None,
            }
            if entity.user_id is not None:
                users = await self.erased.ensured_users(
                    tx, caller.tenant_id, [entity.user_id], now, lambda _: "user_id"
                )
                row["user_uid"] = users[entity.user_id]
            put = await _PUTTING[entity.label].one(
                tx, tenant_id=caller.tenant_id, id=entity.client_id, entity=row
            )
            assert put is not None, "it was made if it was not there"
            await knowledge_graph.name_entity.none(
                tx,
                tenant_id=caller.tenant_id,
                entity_uid=put["uid"],
                names=[{"name_key": key, "uid": new_uid()} for key in keys],
                recorded_at=now,
            )
            return str(put["uid"])

        uid, _ = await self.graph.write(work)
        return uid


def _name_keys(entity: Entity) -> list[str]:
    """The keys of its names, for all writers in the same order, so that few of them lock each other out."""
    named = {"title": entity.title} | {f"aliases[{n}]": alias for n, alias in enumerate(entity.aliases)}
    keys = {location: name_key(name) for location, name in named.items()}
    for location, key in keys.items():
        if not 1 <= len(key.split()) <= NAME_WORDS_MAX:
            problem = f"must have 1 to {NAME_WORDS_MAX} words of letters or digits"
            raise InvalidRequest([{"location": location, "problem": problem}])
    return sorted(set(keys.values()))
