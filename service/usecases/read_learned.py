"""Read what was learned from a message."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from service.clock import Clock
from service.errors import NotFound
from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.policies.decay import decayed
from service.usecases.configure_tenant import Configurations

EDGES_MAX: Final = 100
"""Edges of one query or response that an answer tells, the newest."""


@dataclass(frozen=True, slots=True)
class ReadLearned:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    configurations: Configurations

    async def __call__(self, caller: Caller, message_id: str) -> dict[str, Any]:
        """Whether the message waits to be learned from, and each query or response learned with its edges.
        Raises NotFound."""

        async def work(tx: Transaction) -> dict[str, Any]:
            found = await knowledge_graph.read_learned.one(
                tx, tenant_id=caller.tenant_id, message_id=message_id, limit=EDGES_MAX
            )
            if found is None:
                raise NotFound("message")
            configuration = await self.configurations.read(tx, caller.tenant_id, found["active_version"])
            half_life_days = configuration.knowledge.half_life_days
            return {
                "waiting": found["queued_at"] is not None,
                "queries": [self._weighed(node, half_life_days) for node in found["queries"]],
                "responses": [self._weighed(node, half_life_days) for node in found["responses"]],
            }

        return await self.graph.read(work)

    def _weighed(self, node: dict[str, Any], half_life_days: int) -> dict[str, Any]:
        edges = [
            {
                **edge,
                "weight": None
                if edge["initial_weight"] is None
                else decayed(
                    edge["initial_weight"],
                    datetime.fromtimestamp(edge["strengthened_ms"] / 1000, UTC),
                    self.clock(),
                    half_life_days,
                ),
            }
            for edge in node["edges"]
        ]
        return {**node, "edges": edges}
