"""A lease for one tenant's run, which keeps what the run has done so far for whoever goes on with it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.errors import Conflict, RuntimeGraphError
from service.graph import job_leases
from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.model.chain import canonical

LEASE_S: Final = 120
"""A runner that died is followed by another one after so long; each batch prolongs it."""


class LeaseLost(Conflict):
    """Another process took the run over."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease that was taken. `left` is what a runner that died had noted last."""

    graph: Graph
    name: str
    owner: str
    left: dict[str, Any]

    @classmethod
    async def take(cls, graph: Graph, name: str) -> Lease | None:
        """Take it; None where another process has it."""
        owner = new_uid()
        taking = partial(job_leases.take_lease.one, name=name, owner=owner, due_at=None, lease_s=LEASE_S)
        taken, _ = await graph.write(taking)
        if taken is None:
            return None
        [known] = await graph.read(partial(job_leases.list_leases.many, names=[name]))
        return cls(graph, name, owner, json.loads(known["report"] or "{}"))

    async def note(self, tx: Transaction, report: dict[str, Any]) -> None:
        """Keep what was done, in the transaction that does it. Raises LeaseLost."""
        noted = await job_leases.note_progress.one(
            tx, name=self.name, owner=self.owner, lease_s=LEASE_S, report=canonical(report)
        )
        if noted is None:
            raise LeaseLost

    async def release(self) -> None:
        """Let another one go on at once, as far as the graph answers: with what was noted."""
        with suppress(RuntimeGraphError):
            await self.graph.write(partial(job_leases.release_lease.none, name=self.name, owner=self.owner))

    async def drop(self) -> None:
        """The run has ended."""
        await self.graph.write(partial(job_leases.drop_lease.none, name=self.name, owner=self.owner))
