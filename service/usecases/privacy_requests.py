"""What people ask for by right: made, previewed, approved by a second person, followed to the deadline."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from service.errors import Conflict, IdTaken, InvalidRequest, NotFound
from service.graph import people
from service.graph import privacy_requests as graph_of
from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.privacy import (
    DenialReason,
    ExtensionReason,
    Fate,
    PrivacyRequestKind,
    PrivacyRequestState,
    Stage,
)
from service.policies.deadlines import due_at
from service.usecases.configure_tenant import Configurations
from service.usecases.erased_ids import ErasedIds
from service.usecases.erasure.mentions import find_mentions
from service.usecases.erasure.people import Person, Row, find_person
from service.usecases.erasure.plan import Plan, by_decision
from service.usecases.erasure.tools import Tools
from service.usecases.export_person import EXPORT_KINDS, ExportPerson
from service.usecases.hide_people import restrict
from service.usecases.manage_users import restrictions
from service.usecases.privacy_notices import find_recipients, make_notices
from service.usecases.rectification.corrections import Corrections, Wrong, digest_of
from service.usecases.rectification.run import corrections_of, plan_rectification

PENDING: Final = (Stage.RECEIVED, Stage.PREVIEWED, Stage.APPROVED)
"""Stages at which a request can still be taken back."""
PLANNED_KINDS: Final = (PrivacyRequestKind.ERASURE, PrivacyRequestKind.RECTIFICATION)
"""What destroys something: previewed first, and approved by the digest of the plan."""
Changing = Callable[[Transaction], Awaitable[Row | None]]
Also = Callable[[Transaction], Awaitable[None]]
OPEN_STATES: Final = (PrivacyRequestState.OPEN, PrivacyRequestState.IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class NewRequest:
    """What somebody asked for. `names`: what the person is called in texts, beside what the graph knows;
    `corrections`: of a rectification, what is wrong and what it should say."""

    request_id: str
    kind: PrivacyRequestKind
    user_id: str
    received_at: datetime | None = None
    names: tuple[str, ...] = ()
    corrections: tuple[Wrong, ...] = ()


@dataclass(frozen=True, slots=True)
class PrivacyRequests:
    """The use case with what it works on."""

    tools: Tools
    configurations: Configurations
    erased_ids: ErasedIds
    exports: ExportPerson

    @property
    def _graph(self) -> Graph:
        return self.tools.graph

    @property
    def _corrections(self) -> Corrections:
        return corrections_of(self.tools)

    async def make(self, caller: Caller, new: NewRequest) -> Row:
        """Record a request; a restriction holds from now on. Made again, the same answers the same.

        Raises NotFound for an unknown person, Gone for an erased one, IdTaken, InvalidRequest.
        """
        now = self.tools.clock()
        received = new.received_at or now
        if received > now:
            raise InvalidRequest([{"location": "received_at", "problem": "lies in the future"}])
        known = await self._find(caller.tenant_id, new.request_id)
        if known is not None and known["request_kind"] != new.kind:
            raise IdTaken("request_id")
        if (new.kind is PrivacyRequestKind.RECTIFICATION) != bool(new.corrections):
            problem = "go with a rectification, and with nothing else"
            raise InvalidRequest([{"location": "corrections", "problem": problem}])
        person = await self._person(caller.tenant_id, new.user_id)
        if known is not None:
            other = set(person.uids).isdisjoint(known["subject_uids"])
            if other or await self._asks_otherwise(caller, known, new, person):
                raise IdTaken("request_id")
            await self._restrict(caller, known, person)
            return await self.read(caller, new.request_id)
        uid = new_uid()
        if new.corrections:
            wanted = await self._corrections.resolved(caller.tenant_id, person, new.corrections)
            await self._corrections.keep(caller.tenant_id, uid, wanted)
        settings = await self._settings(caller.tenant_id)
        request = {
            "uid": uid,
            "request_kind": new.kind.value,
            "state": PrivacyRequestState.OPEN.value,
            "stage": Stage.RECEIVED.value,
            "subject_uids": list(person.uids),
            "requested_by": caller.key_uid,
            "received_at": received,
            "due_at": due_at(received, settings.calendar),
            "identifiers": self.tools.vault.sealed(uid, {"names": list(new.names)}),
        }
        made, _ = await self._graph.write(
            partial(
                graph_of.create_request.one,
                tenant_id=caller.tenant_id,
                request_id=new.request_id,
                request=request,
            )
        )
        assert made is not None, "the request is there now"
        if made["request"]["uid"] != uid:
            self.tools.vault.forget(uid)
            await self._corrections.destroy(caller.tenant_id, uid)
        await self._restrict(caller, made["request"], person)
        return await self.read(caller, new.request_id)

    async def _restrict(self, caller: Caller, row: Row, person: Person) -> None:
        """Hide the person of a restriction that nobody has carried out yet, and note who is to be told."""
        if row["request_kind"] != PrivacyRequestKind.RESTRICTION or row["stage"] != Stage.RECEIVED:
            return
        told = await find_recipients(self._graph, self.configurations, caller.tenant_id, person)

        async def work(tx: Transaction) -> None:
            changing = self._changing(
                caller, row["uid"], [Stage.RECEIVED], stage=Stage.BEGUN, state=_IN_PROGRESS
            )
            if await changing(tx) is not None:
                await restrict(tx, caller.tenant_id, person.uids, self.tools.clock())
                await make_notices(tx, caller.tenant_id, row["uid"], told, self.tools.clock())

        await self._graph.write(work)

    async def read(self, caller: Caller, request_id: str) -> Row:
        """A request as it stands. Raises NotFound."""
        found = await self._find(caller.tenant_id, request_id)
        if found is None:
            raise NotFound("privacy request")
        return told(found, self.tools.clock())

    async def corrections(self, caller: Caller, request_id: str) -> list[Row]:
        """What a rectification puts right, for who is to approve it. Raises NotFound; nothing is left of one
        that was taken back or denied, or whose person was erased."""
        row = await self._find(caller.tenant_id, request_id)
        if row is None or row["request_kind"] != PrivacyRequestKind.RECTIFICATION:
            raise NotFound("corrections")
        return [one.row() for one in await self._corrections.read(caller.tenant_id, row["uid"])]

    async def listed(
        self,
        caller: Caller,
        states: Sequence[PrivacyRequestState],
        overdue: bool,
        passed: int,
        limit: int,
    ) -> list[Row]:
        """Requests, soonest due first; `overdue`: those whose deadline has passed alone."""
        now = self.tools.clock()
        rows = await self._graph.read(
            partial(
                graph_of.list_requests.many,
                tenant_id=caller.tenant_id,
                states=[state.value for state in (states or PrivacyRequestState)],
                due_before=now if overdue else None,
                passed=passed,
                limit=limit,
            )
        )
        return [told(row["request"], now) for row in rows]

    async def preview(
        self, caller: Caller, request_id: str, decisions: Mapping[str, Fate] | None = None
    ) -> Row:
        """Work out what an erasure or a rectification would do; the plan is kept for its approval. Raises
        NotFound, Conflict."""
        row = await self._standing(caller, request_id, (Stage.RECEIVED, Stage.PREVIEWED))
        if row["request_kind"] not in PLANNED_KINDS:
            raise Conflict("Only an erasure or a rectification has a plan.")
        if row["stage"] == Stage.PREVIEWED:  # until the new plan is there nobody approves the old one
            await self._change(
                caller, row["uid"], [Stage.PREVIEWED], stage=Stage.RECEIVED, plan=None, plan_digest=None
            )
        chosen = {uid: fate.value for uid, fate in (decisions or {}).items()}
        person = await find_person(self._graph, caller.tenant_id, uids=row["subject_uids"])
        plan = await self._plan(caller.tenant_id, row, person, chosen)
        if row["request_kind"] == PrivacyRequestKind.RECTIFICATION and chosen:
            raise InvalidRequest([{"location": "decisions", "problem": "are an erasure's alone"}])
        wrong = by_decision(chosen).difference(plan.decided)
        if plan.review_count == len(plan.review):
            wrong |= chosen.keys() - {*plan.decided, *plan.review}
        if wrong:
            problem = f"{len(wrong)} of them name no event for review, or none that can go as a whole"
            raise InvalidRequest([{"location": "decisions", "problem": problem}])
        await self._change(
            caller,
            row["uid"],
            [Stage.RECEIVED, Stage.PREVIEWED],
            stage=Stage.PREVIEWED,
            subject_uids=list(person.uids),
            plan=plan.stored(),
            plan_digest=plan.digest(),
            decisions=canonical(chosen),
            done=canonical({"kept": {"decided_by": caller.key_uid if chosen else None}}),
        )
        return await self.read(caller, request_id)

    async def _plan(self, tenant_id: str, row: Row, person: Person, chosen: Row) -> Plan:
        if row["request_kind"] == PrivacyRequestKind.RECTIFICATION:
            made = await self._corrections.read(tenant_id, row["uid"])
            return await plan_rectification(self.tools, tenant_id, row["subject_uids"], made)
        names = self.tools.vault.opened(row).get("names", [])
        mentions = await find_mentions(self._graph, tenant_id, person, names)
        return await self.tools.plan(tenant_id, person, names, chosen, mentions)

    async def approve(self, caller: Caller, request_id: str, plan_digest: str | None) -> Row:
        """Approve by another key than the one that made the request; what has a plan, by the plan's digest.

        It is carried out from now on. Raises NotFound, Conflict.
        """
        row = await self._standing(caller, request_id, (Stage.RECEIVED, Stage.PREVIEWED))
        if row["requested_by"] == caller.key_uid:
            raise Conflict("Another key than the one that made the request approves it: a second person.")
        if row["request_kind"] in PLANNED_KINDS:
            if row["stage"] != Stage.PREVIEWED:
                raise Conflict("Preview it first: its plan is what is approved.")
            if plan_digest != row["plan_digest"]:
                raise Conflict("The digest is not that of the newest plan. Look at that one.")
            if json.loads(row.get("done") or "{}").get("kept", {}).get("decided_by") == caller.key_uid:
                raise Conflict("Another key than the one that decided on its events approves the plan.")
        tolerance = (await self._settings(caller.tenant_id)).tolerance
        await self._change(
            caller,
            row["uid"],
            [Stage(row["stage"])],
            stage=Stage.APPROVED,
            done=canonical({"kept": {"tolerance": tolerance}}),
            state=_IN_PROGRESS,
            approved_by=caller.key_uid,
        )
        return await self.read(caller, request_id)

    async def cancel(self, caller: Caller, request_id: str) -> Row:
        """Take a request back, which nothing has been destroyed for yet. Raises NotFound, Conflict."""
        return await self._refuse(caller, request_id, PENDING, state=PrivacyRequestState.REVOKED.value)

    async def deny(self, caller: Caller, request_id: str, reason: DenialReason) -> Row:
        """Say that a request is not carried out, and why. Raises NotFound, Conflict."""
        changes = {"state": PrivacyRequestState.DENIED.value, "reason": reason.value}
        return await self._refuse(caller, request_id, (Stage.RECEIVED, Stage.PREVIEWED), **changes)

    async def extend(self, caller: Caller, request_id: str, reason: ExtensionReason) -> Row:
        """Take two more months, once, before the first has ended. Raises NotFound, Conflict."""
        row = await self._standing(caller, request_id, (*PENDING, Stage.BEGUN))
        now = self.tools.clock()
        if row.get("extended_at") is not None or row["due_at"].to_native() < now:
            raise Conflict("A deadline is extended once, and before it has passed.")
        settings = await self._settings(caller.tenant_id)
        await self._change(
            caller,
            row["uid"],
            [Stage(row["stage"])],
            extended_at=now,
            extension_reason=reason.value,
            due_at=due_at(row["received_at"].to_native(), settings.calendar, extended=True),
        )
        return await self.read(caller, request_id)

    async def lift(self, caller: Caller, request_id: str) -> Row:
        """End a restriction: the person is shown again under every id, unless another one stands. Raises
        NotFound, Conflict."""
        row = await self._standing(caller, request_id, (Stage.BEGUN,))
        if row["request_kind"] != PrivacyRequestKind.RESTRICTION:
            raise Conflict("Only a restriction is lifted.")
        person = await find_person(self._graph, caller.tenant_id, uids=row["subject_uids"])

        async def show(tx: Transaction) -> None:  # one that is made meanwhile waits for the locks
            await people.lock_users.many(tx, tenant_id=caller.tenant_id, user_ids=sorted(person.user_ids))
            if not await restrictions(tx, caller.tenant_id, person.uids):
                await restrict(tx, caller.tenant_id, person.uids, None)

        await self._ended(caller, row, [Stage.BEGUN], show, state=PrivacyRequestState.FULFILLED.value)
        return await self.read(caller, request_id)

    async def export(self, caller: Caller, request_id: str) -> bytes:
        """The archive of an access or a portability request. Raises NotFound, Gone when its time is over."""
        row = await self._find(caller.tenant_id, request_id)
        if row is None or row["request_kind"] not in EXPORT_KINDS:
            raise NotFound("export")
        return await self.exports.fetch(caller.tenant_id, row)

    async def _refuse(self, caller: Caller, request_id: str, stages: Sequence[Stage], **changes: Any) -> Row:
        row = await self._standing(caller, request_id, stages)
        await self._ended(caller, row, stages, stage=Stage.REFUSED, **changes)
        return await self.read(caller, request_id)

    async def _ended(
        self, caller: Caller, row: Row, stages: Sequence[Stage], also: Also | None = None, **changes: Any
    ) -> None:
        now = self.tools.clock()
        ends = {"stage": Stage.DONE, "identifiers": None, "decisions": None, "finished_at": now}
        await self._change(caller, row["uid"], stages, also, **ends | changes)
        self.tools.vault.forget(row["uid"])
        await self._corrections.destroy(caller.tenant_id, row["uid"])

    async def _standing(self, caller: Caller, request_id: str, stages: Sequence[Stage]) -> Row:
        row = await self._find(caller.tenant_id, request_id)
        if row is None:
            raise NotFound("privacy request")
        if row["stage"] not in stages:
            raise Conflict(f"The request stands at {row['stage']}: too late, or too early, for that.")
        return row

    async def _change(
        self, caller: Caller, uid: str, stages: Sequence[Stage], also: Also | None = None, **changes: Any
    ) -> None:
        async def work(tx: Transaction) -> None:
            if await self._changing(caller, uid, stages, **changes)(tx) is None:
                raise Conflict("Somebody else has moved the request on meanwhile: read it again.")
            if also is not None:
                await also(tx)

        await self._graph.write(work)

    def _changing(self, caller: Caller, uid: str, stages: Sequence[Stage], **changes: Any) -> Changing:
        return partial(
            graph_of.update_request.one,
            tenant_id=caller.tenant_id,
            uid=uid,
            stages=[stage.value for stage in stages],
            changes={name: _plain(value) for name, value in changes.items()},
        )

    async def _find(self, tenant_id: str, request_id: str) -> Row | None:
        found = await self._graph.read(
            partial(graph_of.find_request.one, tenant_id=tenant_id, request_id=request_id)
        )
        return None if found is None else found["request"]

    async def _asks_otherwise(self, caller: Caller, known: Row, new: NewRequest, person: Person) -> bool:
        """Whether a request that is there already puts other things right, as far as that is still kept."""
        kept = await self._corrections.read(caller.tenant_id, known["uid"])
        if not kept:
            return False
        wanted = await self._corrections.resolved(caller.tenant_id, person, new.corrections)
        return digest_of(wanted) != digest_of(kept)

    async def _person(self, tenant_id: str, user_id: str) -> Person:
        try:
            return await find_person(self._graph, tenant_id, [user_id])
        except NotFound:
            named = {self.erased_ids.digest("user", user_id): "user_id"}
            await self._graph.read(lambda tx: self.erased_ids.refuse(tx, tenant_id, named))
            raise

    async def _settings(self, tenant_id: str) -> Any:
        return (await self._graph.read(lambda tx: self.configurations.active(tx, tenant_id))).privacy


_IN_PROGRESS: Final = PrivacyRequestState.IN_PROGRESS


def told(row: Row, now: datetime) -> Row:
    """A request as it is answered: numbers, words of the vocabulary and pseudonyms."""
    due = row["due_at"].to_native()
    return {
        **{name: row.get(name) for name in _SAID},
        "received_at": row["received_at"].to_native(),
        "due_at": due,
        "overdue": row["state"] in OPEN_STATES and due < now,
        "plan": json.loads(row["plan"]) if row.get("plan") else None,
        "receipt": json.loads(row["receipt"]) if row.get("receipt") else None,
        "finished_at": row["finished_at"].to_native() if row.get("finished_at") else None,
    }


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Stage | PrivacyRequestState) else value


_SAID = (
    *("request_id", "uid", "request_kind", "state", "stage", "subject_uids", "requested_by", "approved_by"),
    *("extension_reason", "reason", "plan_digest", "notices"),
)
