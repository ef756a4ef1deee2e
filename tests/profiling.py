"""A real graph that also tells how much work its reads were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from neo4j import AsyncResult

from service.graph.driver import UNIT_TIMEOUT_S, Graph, Result, Transaction, Work


@dataclass
class Effort:
    """Queries that were asked, that for the API key apart, and what the database touched to answer them."""

    queries: int = 0
    db_hits: int = 0


class ProfiledGraph(Graph):
    """Asks for every read's profile; `effort` has the sums of all reads since it was set anew."""

    effort = Effort()

    async def read(
        self, work: Work[Result], bookmarks: Sequence[str] | None = None, timeout_s: float = UNIT_TIMEOUT_S
    ) -> Result:
        """As ever, with each query's profile."""

        async def profiled(tx: Transaction) -> Result:
            profiling = _Profiling(tx)
            result = await work(cast(Transaction, profiling))
            for asked in profiling.asked:
                self.effort.queries += 1
                self.effort.db_hits += _db_hits((await asked.consume()).profile or {})
            return result

        return await super().read(profiled, bookmarks, timeout_s)


@dataclass
class _Profiling:
    tx: Transaction
    asked: list[AsyncResult] = field(default_factory=list)

    async def run(self, statement: str, parameters: dict[str, Any]) -> AsyncResult:
        if ":ApiKey" in statement:  # asked again once the service has forgotten the key
            return await self.tx.run(statement, parameters)
        self.asked.append(await self.tx.run(f"PROFILE {statement}", parameters))
        return self.asked[-1]


def _db_hits(step: dict[str, Any]) -> int:
    return int(step.get("dbHits", 0)) + sum(map(_db_hits, step.get("children", ())))
