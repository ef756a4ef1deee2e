"""The drill: a made-up person full of canaries is erased like any other, and the proof put to the test."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.clock import Clock
from service.errors import RuntimeGraphError
from service.graph import tenants
from service.graph.driver import Graph
from service.ids import new_uid
from service.model.caller import TENANT_SCOPES, Caller
from service.model.chain import canonical
from service.model.events import Batch
from service.model.privacy import PrivacyRequestKind
from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_blobs import scan_blobs
from service.usecases.absence.scan_graph import scan_graph
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.equip import Privacy, equipped
from service.usecases.privacy_requests import NewRequest

TENANT: Final = "runtime-graph-drill"
LARGE_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class DrillReport:
    """What a drill found: canaries seeded, found before and after, and the receipt's uid."""

    at: str
    canaries: int
    found_before: int
    found_after: int
    request_uid: str | None
    failed: str | None

    @property
    def sound(self) -> bool:
        """Whether every canary was found before, and none after."""
        return self.failed is None and self.found_before == self.canaries and self.found_after == 0

    def stored(self) -> str:
        """As it is published."""
        return canonical({"sound": self.sound, **{name: getattr(self, name) for name in self.__slots__}})

    def lines(self) -> list[str]:
        """As it is told."""
        told = [
            f"{self.canaries} canaries seeded; before the erasure the scan found {self.found_before} of them",
            f"after it {self.found_after}",
        ]
        return [*told, f"failed: {self.failed}"] if self.failed else told


async def drill_erasure(graph: Graph, custody: Custody, clock: Clock, secret: bytes) -> DrillReport:
    """Seed, find, erase, search. Everything happens in the drill's own tenant."""
    privacy = equipped(graph, custody, clock, secret)
    tenant_id = await _tenant(graph, clock)
    mark = secrets.token_hex(8)
    canaries = {what: f"drill-{what}-{secrets.token_hex(24)}" for what in _FIELDS}
    caller = Caller(tenant_id, f"drill-{mark}-asks", frozenset(TENANT_SCOPES))
    await privacy.append_events(caller, _life(canaries, mark), None)
    before = await _found(graph, custody, tenant_id, canaries)
    failed, uid = None, None
    try:
        uid = await _erased(privacy, caller, canaries["user"], mark)
    except RuntimeGraphError as error:
        failed = error.code
    after = await _found(graph, custody, tenant_id, canaries)
    at = clock().isoformat(timespec="seconds")
    return DrillReport(at, len(canaries), len(before), len(after), uid, failed)


async def _erased(privacy: Privacy, caller: Caller, user_id: str, mark: str) -> str:
    new = NewRequest(f"drill-{mark}", PrivacyRequestKind.ERASURE, user_id)
    made = await privacy.requests.make(caller, new)
    seen = await privacy.requests.preview(caller, new.request_id)
    other = Caller(caller.tenant_id, f"drill-{mark}-approves", caller.scopes)
    await privacy.requests.approve(other, new.request_id, seen["plan_digest"])
    await privacy.carrying_out.erase(caller.tenant_id, made["uid"])
    return str(made["uid"])


async def _found(graph: Graph, custody: Custody, tenant_id: str, canaries: dict[str, str]) -> set[int]:
    """Positions of the canaries that the scan finds in the graph and the blob store."""
    needles = Needles(tuple(canaries.values()))
    found = await scan_graph(graph, needles, tenant_id=tenant_id)
    found.merged(await scan_blobs(needles, custody.blobs.walk(tenant_id)))
    return set(found.stores_of)


async def _tenant(graph: Graph, clock: Clock) -> str:
    found = await graph.read(partial(tenants.find_tenant.one, name=TENANT))
    if found is not None:
        return str(found["tenant_id"])
    uid = new_uid()
    made = {"tenant_id": uid, "uid": uid, "name": TENANT, "created_at": clock()}
    await graph.write(partial(tenants.create_tenant.none, tenant=made))
    return uid


_FIELDS: Final = ("conversation", "user", "seat", "name", "message", "text", "argument", "result", "blob")


def _life(canary: dict[str, str], mark: str) -> Batch:
    seat, agent, call = canary["seat"], {"participant_id": "agent"}, f"call-{mark}"
    events: list[dict[str, Any]] = [
        {"kind": "conversation", "user_id": canary["user"]},
        {
            "kind": "participant",
            "participant_id": seat,
            "participant_kind": "human",
            "user_id": canary["user"],
            "display_name": canary["name"],
        },
        {"kind": "participant", "participant_kind": "agent", **agent},
        {
            "kind": "message",
            "message_id": canary["message"],
            "participant_id": seat,
            "role": "user",
            "parts": [{"type": "text", "content": canary["text"]}],
        },
        {
            "kind": "tool_call",
            "call_id": call,
            "tool_name": "drill",
            "arguments": {"what": canary["argument"]},
            **agent,
        },
        {
            "kind": "tool_result",
            "call_id": call,
            "result": {"found": canary["result"], "large": canary["blob"] + "x" * LARGE_CHARS},
        },
    ]
    return Batch.model_validate({"conversation_id": canary["conversation"], "events": events})
