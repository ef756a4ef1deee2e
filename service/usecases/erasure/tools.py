"""What an erasure works with, and what is made with it: the cascade, the taking out, the plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from service.clock import Clock
from service.graph.driver import Graph
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.text.tokens import Tokenizer
from service.usecases.append_events import AppendEvents
from service.usecases.configure_tenant import Configurations
from service.usecases.erasure.cascade import Cascade
from service.usecases.erasure.mixed import TakeOut
from service.usecases.erasure.people import Person, Row
from service.usecases.erasure.plan import Plan, by_decision, plan
from service.usecases.erasure.vault import Vault


@dataclass(frozen=True, slots=True)
class Tools:
    """What an erasure works with, beside the graph."""

    graph: Graph
    blobs: Blobs
    keys: DataKeys
    append_events: AppendEvents
    tokenizer: Tokenizer
    clock: Clock
    secret: bytes
    vault: Vault
    configurations: Configurations

    def cascade(self, tenant_id: str, person: Person, **more: Any) -> Cascade:
        """The cascade of a person."""
        return Cascade(self.graph, tenant_id, person, self.clock(), **more)

    def take_out(self, tenant_id: str, person: Person, names: Iterable[str], **more: Any) -> TakeOut:
        """Taking a person out of what others recorded."""
        return TakeOut(
            self.graph,
            self.blobs,
            self.append_events,
            self.tokenizer,
            tenant_id,
            person,
            tuple(names),
            **more,
        )

    async def plan(
        self,
        tenant_id: str,
        person: Person,
        names: Iterable[str],
        decisions: Row,
        mentions: Sequence[str] = (),
    ) -> Plan:
        """What an erasure of the person would do now."""
        holds = await self.vault.holds(tenant_id, person.uids)
        return await plan(
            self.cascade(tenant_id, person),
            self.take_out(tenant_id, person, names, erase=by_decision(decisions)),
            self.blobs,
            self.keys,
            holds=len(holds),
            mentions=mentions,
        )
