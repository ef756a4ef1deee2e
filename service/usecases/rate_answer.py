"""Keep what a user thinks of an answer; the edge from question to answer grows stronger or weaker by it."""

from __future__ import annotations

from dataclasses import dataclass

from service.clock import Clock
from service.errors import InvalidRequest, UnknownReference
from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.vocabulary import Rating, Role
from service.policies.decay import decayed, rated
from service.usecases.configure_tenant import Configurations
from service.usecases.erased_ids import ErasedIds


@dataclass(frozen=True, slots=True)
class Rated:
    """All opinions of an answer, and whether something was learned from it that they weigh."""

    ups: int
    downs: int
    learned: bool


@dataclass(frozen=True, slots=True)
class RateAnswer:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    configurations: Configurations
    erased: ErasedIds

    async def __call__(self, caller: Caller, message_id: str, user_id: str, rating: Rating) -> Rated:
        """One opinion for each user and answer, the newest; given again it changes nothing.

        An answer that waits to be learned from is weighed by it once it was. Raises UnknownReference, Gone,
        and InvalidRequest where the message is no answer.
        """

        async def work(tx: Transaction) -> Rated:
            now = self.clock()
            users = await self.erased.ensured_users(tx, caller.tenant_id, [user_id], now, lambda _: "user_id")
            edges = await knowledge_graph.rate_answer.many(
                tx,
                tenant_id=caller.tenant_id,
                message_id=message_id,
                user_uid=users[user_id],
                rating=rating.value,
                recorded_at=now,
            )
            if not edges:
                raise UnknownReference("message_id")
            if edges[0]["role"] != Role.ASSISTANT:
                raise InvalidRequest([{"location": "message_id", "problem": "is not an assistant's message"}])
            configuration = await self.configurations.read(tx, caller.tenant_id, edges[0]["active_version"])
            ratings = edges[0]["ratings"]
            ups, downs = ratings.count(Rating.UP), ratings.count(Rating.DOWN)
            initial, half_life_days = rated(ups, downs), configuration.knowledge.half_life_days
            weighed = [
                {
                    "edge_id": edge["edge_id"],
                    "initial_weight": initial,
                    "weight": decayed(
                        initial,
                        edge["strengthened_at"],
                        edge["weighed_at"] or edge["strengthened_at"],
                        half_life_days,
                    ),
                }
                for edge in edges
                if edge["edge_id"] is not None
            ]
            await knowledge_graph.set_initial_weights.none(tx, tenant_id=caller.tenant_id, edges=weighed)
            return Rated(ups, downs, bool(weighed))

        done, _ = await self.graph.write(work)
        return done
