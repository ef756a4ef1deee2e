"""Carry out again what the ledger says was destroyed, in a database that was restored from an older copy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from service.clock import Clock
from service.errors import NotFound
from service.graph import privacy_requests
from service.graph.driver import Graph
from service.graph.ledger_mark import advance_mark
from service.log.ledger import LedgerEntry
from service.model.privacy import Destruction, PrivacyRequestKind, PrivacyRequestState, Stage
from service.usecases.check_ledger import CheckLedger
from service.usecases.erasure.run import RunErasure
from service.usecases.know_erasures import KnownErasures
from service.usecases.legal_holds import LegalHolds
from service.usecases.offboard_tenant import OffboardTenant


@dataclass(frozen=True, slots=True)
class ReplayErasures:
    """The use case. What was erased is erased again by the same code, under the request's own uid."""

    graph: Graph
    known: KnownErasures
    clock: Clock
    erase: RunErasure
    rectify: RunErasure
    offboarding: OffboardTenant
    holds: LegalHolds

    async def __call__(self) -> int:
        """Everything that this database is behind, oldest first; answers how many entries. Raises
        LedgerUnusable, Unavailable, ResidueFound; it may be run again."""
        entries = await CheckLedger(self.graph, self.known, self.clock)()
        for entry in entries:
            if entry.what is Destruction.ERASURE:
                await self._again(entry, PrivacyRequestKind.ERASURE, self.erase)
            elif entry.what is Destruction.RECTIFICATION:
                await self._again(entry, PrivacyRequestKind.RECTIFICATION, self.rectify)
            elif entry.what is Destruction.OFFBOARDING:
                await self.offboarding.carry_out(entry)
            elif entry.what is Destruction.HOLD_ENDED:
                await self.holds.end_again(entry.tenant_id, entry.request_uid)
            carried_out = partial(advance_mark, ledger_seq=entry.ledger_seq, name=self.known.mark_name)
            await self.graph.write(carried_out)
        return len(entries)

    async def _again(self, entry: LedgerEntry, kind: PrivacyRequestKind, run: RunErasure) -> None:
        request = {
            "uid": entry.request_uid,
            "request_kind": kind.value,
            "subject_uids": list(entry.subject_uids),
            "requested_by": "ledger",
            "received_at": self.clock(),
            "due_at": self.clock(),
        }
        again = {"state": PrivacyRequestState.IN_PROGRESS.value, "stage": Stage.BEGUN.value}
        await self.graph.write(
            partial(
                privacy_requests.take_up.none,
                tenant_id=entry.tenant_id,
                uid=entry.request_uid,
                request_id=f"replayed-{entry.request_uid}",
                request=request,
                again=again | {"done": None, "receipt": None, "plan_digest": entry.plan_digest},
            )
        )
        try:
            await run(entry.tenant_id, entry.request_uid)
        except NotFound:  # the copy is from before the person, or the tenant, was there
            return
