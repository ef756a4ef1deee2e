"""Carry out what was approved, beside the answers of this process; what a dead process left goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog

from service.errors import Gone, RuntimeGraphError
from service.graph import privacy_requests
from service.graph.driver import Graph
from service.model.privacy import PrivacyRequestKind, PrivacyRequestState, Stage
from service.usecases.check_ledger import CheckLedger
from service.usecases.erasure.run import CARRIED_OUT, RunErasure
from service.usecases.export_person import EXPORT_KINDS, ExportPerson

LOOK_EVERY_S: Final = 60.0
REQUESTS_MAX: Final = 100
"""Requests that are taken at a time."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class CarryOutRequests:
    """At most one task. The queue is in the graph: another process goes on with what this one leaves."""

    graph: Graph
    erase: RunErasure
    rectify: RunErasure
    exports: ExportPerson
    go_on: Callable[[], Awaitable[int]] | None = None
    """Carries out what else was begun: tenants that leave."""
    check: CheckLedger | None = None
    """Says whether this database is an old copy: in one nothing is carried out, or what is to be replayed
    would pass for done."""
    tenant_ids: set[str] | None = None
    """The tenants whose requests are carried out here; None: all."""
    _task: asyncio.Task[None] | None = None
    _watch: asyncio.Task[None] | None = None
    _noted: bool = False

    def start(self) -> None:
        """Look now and every LOOK_EVERY_S for what another process left, too."""
        self._watch = asyncio.create_task(self._look(), name="privacy requests of others")

    async def note(self) -> None:
        """Something was approved."""
        self._noted = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="privacy requests")

    async def settled(self) -> None:
        """Wait until everything noted so far was carried out, or could not be."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def close(self) -> None:
        """Stop; the next process goes on."""
        for task in (self._watch, self._task):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _export(self, tenant_id: str, uid: str) -> bool:
        """Make an export and say that it is there; of a person who was erased meanwhile there is none. Raises
        KeysElsewhere."""
        found = await self.graph.read(
            partial(privacy_requests.read_request.one, tenant_id=tenant_id, uid=uid)
        )
        if found is None:
            return False
        self.erase.ensure_ours(found["request"])
        state = PrivacyRequestState.FULFILLED
        try:
            await self.exports(tenant_id, found["request"])
        except Gone:
            state = PrivacyRequestState.EXPIRED
        done, _ = await self.graph.write(
            partial(
                privacy_requests.update_request.one,
                tenant_id=tenant_id,
                uid=uid,
                stages=[stage.value for stage in CARRIED_OUT],
                changes={
                    "stage": Stage.DONE.value,
                    "state": state.value,
                    "identifiers": None,
                    "finished_at": self.exports.tools.clock(),
                },
            )
        )
        self.exports.tools.vault.forget(uid)
        return done is not None

    async def _look(self) -> None:
        while True:
            await self.note()
            await asyncio.sleep(LOOK_EVERY_S)

    async def _work(self) -> None:
        while self._noted:
            self._noted = False
            try:
                await self()
            except RuntimeGraphError as error:
                _log.warning("what was approved could not be read", error=error.code)

    async def __call__(self) -> int:
        """Carry out what stands approved or begun, of all tenants; answers how many ended."""
        reading = partial(
            privacy_requests.list_approved.many,
            stages=[stage.value for stage in CARRIED_OUT],
            limit=REQUESTS_MAX,
        )
        if self.check is not None and await self.check():
            _log.warning("an old copy of the database: nothing is carried out before the replay")
            return 0
        ended = 0
        for row in await self.graph.read(reading):
            if self.tenant_ids is not None and row["tenant_id"] not in self.tenant_ids:
                continue  # whoever has the keys of that one does it
            try:
                if row["request_kind"] == PrivacyRequestKind.ERASURE:
                    ended += await self.erase(row["tenant_id"], row["uid"])
                elif row["request_kind"] == PrivacyRequestKind.RECTIFICATION:
                    ended += await self.rectify(row["tenant_id"], row["uid"])
                elif row["request_kind"] in EXPORT_KINDS:
                    ended += await self._export(row["tenant_id"], row["uid"])
            except RuntimeGraphError as error:
                places = getattr(error, "places", None)  # labels and properties, no content
                _log.warning("request stopped", request_uid=row["uid"], error=error.code, places=places)
            except Exception as error:  # one that cannot go on keeps no other one waiting
                _log.error("request failed", request_uid=row["uid"], error=type(error).__name__)
        if self.go_on is not None:
            try:
                ended += await self.go_on()
            except Exception as error:  # people's requests go on the next time
                places = getattr(error, "places", None)
                _log.error("offboarding stopped", error=type(error).__name__, places=places)
        return ended


async def count_waiting(graph: Graph) -> int:
    """How many requests stand approved or begun, up to REQUESTS_MAX."""
    reading = partial(
        privacy_requests.list_approved.many,
        stages=[stage.value for stage in CARRIED_OUT],
        limit=REQUESTS_MAX,
    )
    return len(await graph.read(reading))
