"""Legal holds: what is held of a person must be kept, sealed where the person is erased meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from service.clock import Clock
from service.errors import Conflict, IdTaken, InvalidRequest, NotFound
from service.graph import legal_holds
from service.graph.driver import Graph
from service.graph.ledger_mark import NAME, advance_mark
from service.ids import new_uid
from service.log.ledger import EVENTS, Ledger
from service.log.tree_heads import Signer
from service.model.caller import Caller
from service.model.chain import stamp
from service.model.privacy import Destruction
from service.usecases.check_ledger import CheckLedger
from service.usecases.erasure.people import Row, find_person
from service.usecases.erasure.vault import Vault

EXPIRED_MAX: Final = 1_000
"""Holds that one run ends; the next one goes on."""


@dataclass(frozen=True, slots=True)
class NewHold:
    """A duty to keep, with its legal basis and its end."""

    hold_id: str
    user_id: str
    basis: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LegalHolds:
    """The use case with what it works on."""

    graph: Graph
    vault: Vault
    ledger: Ledger
    signer: Callable[[], Signer]
    clock: Clock
    mark_name: str = NAME
    check: CheckLedger | None = None

    async def make(self, caller: Caller, new: NewHold) -> Row:
        """Set a hold. Made again, the same answers the same. Raises NotFound for an unknown person, IdTaken,
        InvalidRequest."""
        now = self.clock()
        if new.expires_at <= now:
            raise InvalidRequest([{"location": "expires_at", "problem": "must lie in the future"}])
        person = await find_person(self.graph, caller.tenant_id, [new.user_id])
        hold = {
            "uid": new_uid(),
            "subject_uids": list(person.uids),
            "basis": new.basis,
            "created_at": now,
            "expires_at": new.expires_at,
            "item_count": 0,
        }
        made, _ = await self.graph.write(
            partial(legal_holds.create_hold.one, tenant_id=caller.tenant_id, hold_id=new.hold_id, hold=hold)
        )
        assert made is not None, "the hold is there now"
        known: Row = made["hold"]
        same = ("subject_uids", "basis")
        if known["uid"] != hold["uid"] and any(known[name] != hold[name] for name in same):
            raise IdTaken("hold_id")
        return told(known)

    async def listed(self, caller: Caller) -> list[Row]:
        """All holds of the tenant, oldest first, ended ones too."""
        return [told(hold) for hold in await self.vault.all_holds(caller.tenant_id)]

    async def open(self, caller: Caller, hold_id: str) -> list[Any]:
        """What a hold keeps of a person who was erased, event by event. Raises NotFound."""
        return await self.vault.open_hold(caller.tenant_id, (await self._find(caller, hold_id))["uid"])

    async def end(self, caller: Caller, hold_id: str) -> Row:
        """End a hold: what an erasure had sealed for it is destroyed. Raises NotFound, Conflict."""
        hold = await self._find(caller, hold_id)
        if hold.get("ended_at") is not None:
            raise Conflict("The hold has ended.")
        await self._end(caller.tenant_id, hold)
        return told(await self._find(caller, hold_id))

    async def end_expired(self) -> int:
        """End the holds of all tenants whose time is over; answers how many."""
        if self.check is not None and await self.check():
            return 0  # an old copy of the database: what is to be replayed would pass for done
        reading = partial(legal_holds.list_expired.many, now=self.clock(), limit=EXPIRED_MAX)
        expired = await self.graph.read(reading)
        for row in expired:
            await self._end(row["tenant_id"], row["hold"])
        return len(expired)

    async def end_again(self, tenant_id: str, hold_uid: str) -> None:
        """End a hold that the ledger says has ended, where an older copy of the database has it in force."""
        for hold in await self.vault.all_holds(tenant_id):
            if hold["uid"] == hold_uid and hold.get("ended_at") is None:
                await self._end(tenant_id, hold)
        await self.vault.end_hold(tenant_id, hold_uid)

    async def _end(self, tenant_id: str, hold: Row) -> None:
        """The ledger first: what was sealed is destroyed, and the erasure that it was kept from is whole."""
        uid, at = hold["uid"], stamp(self.clock())
        if hold.get("item_count"):
            begun = self.ledger.begin(
                self.signer(),
                tenant_id=tenant_id,
                request_uid=uid,
                what=Destruction.HOLD_ENDED,
                subject_uids=hold["subject_uids"],
                plan_digest=None,
                at=at,
            )
            await self.graph.write(partial(advance_mark, ledger_seq=begun.ledger_seq, name=self.mark_name))
            await self.vault.end_hold(tenant_id, uid)
            self.ledger.end(self.signer(), request_uid=uid, counts={EVENTS: 0}, receipt_sha256=None, at=at)
        changes = {"ended_at": self.clock()}
        await self.graph.write(
            partial(
                legal_holds.update_hold.one,
                tenant_id=tenant_id,
                hold_id=hold["hold_id"],
                changes=changes,
            )
        )
        await self.vault.end_hold(tenant_id, uid)  # an erasure may have sealed something meanwhile

    async def _find(self, caller: Caller, hold_id: str) -> Row:
        holds = await self.vault.all_holds(caller.tenant_id)
        found = next((hold for hold in holds if hold["hold_id"] == hold_id), None)
        if found is None:
            raise NotFound("legal hold")
        return found


def told(hold: Row) -> Row:
    """A hold as it is answered."""
    times = {name: hold.get(name) for name in ("created_at", "expires_at", "ended_at")}
    return {
        **{name: hold[name] for name in ("hold_id", "uid", "subject_uids", "basis")},
        **{name: at.to_native() if at is not None else None for name, at in times.items()},
        "item_count": hold.get("item_count") or 0,
    }
