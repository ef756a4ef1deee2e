"""Carry an approved erasure out, to the end and once, whatever dies meanwhile."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final

import structlog

from service.errors import Conflict, NotFound
from service.graph import privacy_requests
from service.graph.driver import Transaction
from service.graph.ledger_mark import advance_mark
from service.log.ledger import EVENTS, EntryKind, Ledger, LedgerEntry
from service.log.receipts import receipt_sha256
from service.log.tree_heads import Signer
from service.model.chain import canonical, stamp
from service.model.privacy import Destruction, PrivacyRequestKind, PrivacyRequestState, Stage
from service.usecases.checkpoint_store import checkpoint_store
from service.usecases.draw_insights import DrawInsights
from service.usecases.erased_ids import digests
from service.usecases.erasure.cascade import Cascade
from service.usecases.erasure.people import Person, Row, find_person
from service.usecases.erasure.plan import Plan, by_decision, scopes_of
from service.usecases.erasure.proof import Prove, Sought, digest_of_shared, stores_of
from service.usecases.erasure.tally import Counts, Tally, added
from service.usecases.erasure.tools import Tools
from service.usecases.erasure.vault import hold_scope
from service.usecases.hide_people import cordon, show
from service.usecases.know_erasures import KnownErasures
from service.usecases.privacy_notices import find_recipients, make_notices
from service.usecases.run_lease import LEASE_S, Lease, LeaseLost

CARRIED_OUT: Final = (Stage.APPROVED, Stage.BEGUN)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RunErasure:
    """The use case. The ledger says that it begins before anything is destroyed."""

    tools: Tools
    ledger: Ledger
    signer: Callable[[], Signer]
    prove: Prove
    draw: DrawInsights
    known: KnownErasures
    before_ending: Callable[[str, Sequence[str]], Awaitable[None]]
    """Destroys what else was made of a person's data: exports."""
    way: type[Run] | None = None
    """What is done between the ledger's two entries; None: the erasure."""

    async def __call__(self, tenant_id: str, request_uid: str) -> bool:
        """Run or go on with an approved request; False where another process does. Raises Conflict where the
        graph has moved since the plan was approved, KeysElsewhere, Unavailable."""
        row = await self._request(tenant_id, request_uid)
        self.ensure_ours(row)
        lease = await Lease.take(self.tools.graph, f"privacy/{tenant_id}")
        if lease is None:
            return False
        try:
            row = await self._request(tenant_id, request_uid)
            if row["stage"] in CARRIED_OUT:
                await (self.way or Run)(self, tenant_id, row, lease).run()
        finally:
            await lease.drop()
        return True

    def ensure_ours(self, row: Row) -> None:
        """Raises KeysElsewhere where this process has not the request's key, nor a ledger that says the key
        may have gone with what was destroyed of its people."""
        people = set(row["subject_uids"])
        if people.isdisjoint(uid for one in self.known.entries() for uid in one.subject_uids):
            self.tools.vault.need_key(row)

    def end(self, request_uid: str, events: int, receipt: str) -> None:
        """Say in the ledger that it has ended, with its receipt."""
        self.ledger.end(
            self.signer(),
            request_uid=request_uid,
            counts={EVENTS: events},
            receipt_sha256=receipt_sha256(receipt),
            at=json.loads(receipt)["ended_at"],
        )

    async def _request(self, tenant_id: str, uid: str) -> Row:
        found = await self.tools.graph.read(
            partial(privacy_requests.read_request.one, tenant_id=tenant_id, uid=uid)
        )
        if found is None:
            raise NotFound("privacy request")
        request: Row = found["request"]
        return request


@dataclass(slots=True)
class Run:
    """One runner's way through one request."""

    what: ClassVar[Destruction] = Destruction.ERASURE

    case: RunErasure
    tenant_id: str
    row: Row
    lease: Lease
    done: Counts = field(default_factory=dict)
    kept: Row = field(default_factory=dict)
    """What was counted before it was destroyed, where the destruction is no transaction of the graph."""

    async def run(self) -> None:
        tools, uid = self.case.tools, self.row["uid"]
        self._resume()
        person = await find_person(tools.graph, self.tenant_id, uids=self.row["subject_uids"])
        known = tools.vault.opened(self.row)
        names = known.get("names", [])
        decisions = json.loads(self.row.get("decisions") or "{}")
        erase = by_decision(decisions)
        if self.row["stage"] == Stage.APPROVED:
            await self._check_plan(person, names, decisions)
        await self._stand(Stage.BEGUN, state=PrivacyRequestState.IN_PROGRESS)
        begun = self._begin(person)
        person = await self._cordoned(person, begun)
        cascade = tools.cascade(self.tenant_id, person, erased_by=uid, note=self._note, blobs=tools.blobs)
        if "needles" not in known:
            known = await self._look_around(person, names, cascade, erase)
        erase = erase.union(known.get("decided", ()))  # as it stood before an earlier runner destroyed some
        await tools.vault.seal_held(self.tenant_id, person)
        take_out = tools.take_out(self.tenant_id, person, names, erased_by=uid, erase=erase)
        mixed = await take_out.run()
        await self._destroy_outside(person)
        async for tally in cascade.deciding(mixed.decided | erase).run(derive=take_out.derive_learned):
            self.done = added(self.done, tally.counts())
        await self.case.draw(self.tenant_id)
        await self._destroy_outside(person)
        await self._end(person, begun, known["needles"])

    def _resume(self) -> None:
        """Take up what was counted before."""
        stored = json.loads(self.row.get("done") or "{}")
        self.done, self.kept = stored.get("counts", {}), stored.get("kept", {})

    async def _look_around(
        self, person: Person, names: list[str], cascade: Cascade, erase: frozenset[str]
    ) -> Row:
        """Before anything is destroyed: what to look for afterwards, what of others goes too, what only the
        living can count."""
        tools = self.case.tools
        await self._keep(  # first: then the scan before knows that the names of recipients stay
            recipients=await find_recipients(tools.graph, tools.configurations, self.tenant_id, person)
        )
        derived = await cascade.find_knowledge()
        needles = await self.case.prove.gather(self.tenant_id, person, names, derived)
        seen = await tools.take_out(self.tenant_id, person, names, erase=erase).run()
        await self._keep(
            shared_before=await digest_of_shared(tools.graph, self.tenant_id),
            review_count=len(seen.events),
            derived=seen.derived,
            branch_refs=[b["branch_ref"] for one in person.conversations for b in one.branches],
        )
        known = {"names": names, "needles": needles, "decided": sorted(seen.decided)}
        await self._stand(Stage.BEGUN, identifiers=tools.vault.sealed(self.row["uid"], known))
        return known

    async def _check_plan(self, person: Person, names: Iterable[str], decisions: Row) -> None:
        """The graph may have moved since the approval: no more than the tenant tolerates."""
        approved = Plan.of(self.row["plan"])
        now = await self.case.tools.plan(self.tenant_id, person, names, decisions)
        if approved.moved(now, self.kept.get("tolerance", 0.0)):
            await self._send_back()
            raise Conflict("The graph has moved since the plan was approved: preview and approve it again.")

    async def _send_back(self) -> None:
        await self._stand(Stage.RECEIVED, state=PrivacyRequestState.OPEN, plan=None, plan_digest=None)

    def _begin(self, person: Person) -> LedgerEntry:
        begun = self.case.known.entry(self.row["uid"], EntryKind.BEGUN)
        return begun or self.case.ledger.begin(
            self.case.signer(),
            tenant_id=self.tenant_id,
            request_uid=self.row["uid"],
            what=self.what,
            subject_uids=person.uids,
            plan_digest=self.row.get("plan_digest"),
            at=stamp(self.case.tools.clock()),
        )

    async def _cordoned(self, person: Person, begun: LedgerEntry) -> Person:
        """The person as it stands behind the cordon: batches that this waited for were recorded meanwhile."""
        await self._cordon(person, begun)
        found = await find_person(self.case.tools.graph, self.tenant_id, uids=person.uids)
        if found != person:  # with ids that are refused from now on, too
            await self._cordon(found, begun)
        return found

    async def _cordon(self, person: Person, begun: LedgerEntry) -> None:
        tools = self.case.tools
        known = digests(tools.secret, "user", person.user_ids)
        for one in person.conversations:
            if one.whole:
                known += digests(tools.secret, "conversation", [one.conversation_id])
            seats = [seat["participant_id"] for seat in one.seats if seat["participant_id"]]
            known += digests(tools.secret, "participant", seats, one.uid)

        async def work(tx: Transaction) -> None:
            await cordon(tx, self.tenant_id, person.uids, known, tools.clock())
            await advance_mark(tx, begun.ledger_seq, self.case.known.mark_name)

        await tools.graph.write(work)

    async def _destroy_outside(self, person: Person) -> None:
        """Destroy what lies outside the graph. It is done again at the end: who was writing meanwhile, or
        died before it had noticed, may have made a key or a blob anew."""
        tools = self.case.tools
        await self._destroy_keys(person)
        for uid in person.uids:
            await tools.blobs.delete_dead(self.tenant_id, uid)
        await tools.vault.end_ended(self.tenant_id, person.uids)
        for one in await self._requests(person):
            if one != self.row["uid"]:
                tools.vault.forget(one)  # what it had noted that the person is called
        await self.case.before_ending(self.tenant_id, person.uids)

    async def _requests(self, person: Person) -> list[str]:
        """Uids of everything that was ever asked for the person."""
        reading = partial(
            privacy_requests.list_exports.many,
            tenant_id=self.tenant_id,
            people=list(person.uids),
            kinds=[kind.value for kind in PrivacyRequestKind],
        )
        return [row["uid"] for row in await self.case.tools.graph.read(reading)]

    async def _destroy_keys(self, person: Person) -> None:
        """Count what each key opens, keep that, then destroy the key and delete what it sealed."""
        tools = self.case.tools
        for scope in scopes_of(tools.keys, self.tenant_id, person):
            sizes = [size async for _, size in tools.blobs.list_scope(self.tenant_id, scope)]
            named = hashlib.sha256(canonical(scope).encode()).hexdigest()
            scopes = self.kept.get("scopes", {})
            if named not in scopes:
                await self._keep(scopes=scopes | {named: [len(sizes), sum(sizes)]})
            tools.keys.destroy(self.tenant_id, scope)
            await tools.blobs.delete_scope(self.tenant_id, scope)

    async def _end(self, person: Person, begun: LedgerEntry, needles: Sought) -> None:
        tools, uid = self.case.tools, self.row["uid"]
        if "receipt" not in self.kept:
            windows = await checkpoint_store(tools.graph, self.case.prove.logs)
            held = [hold_scope(one["uid"]) for one in await tools.vault.holds(self.tenant_id, person.uids)]
            scan = await self.case.prove.search(self.tenant_id, self._ended(person), needles, held)
            told = await self._told()
            events = told.pop("events")
            ended_at = stamp(tools.clock())
            receipt = self.case.prove.receipt(self.case.signer(), begun, told, scan, windows, ended_at)
            await self._keep(receipt=receipt, events=events)
        text = self.kept["receipt"]
        if self.case.known.entry(uid, EntryKind.ENDED) is None:  # else it is done again in a restored copy
            self.case.end(uid, self.kept["events"], text)

        async def work(tx: Transaction) -> None:
            await show(tx, self.tenant_id, self._ended(person))
            await make_notices(tx, self.tenant_id, uid, self.kept.get("recipients", ()), tools.clock())
            await privacy_requests.update_request.one(
                tx,
                tenant_id=self.tenant_id,
                uid=uid,
                stages=[Stage.BEGUN],
                changes={
                    "stage": Stage.DONE.value,
                    "state": PrivacyRequestState.FULFILLED.value,
                    "receipt": text,
                    "identifiers": None,
                    "decisions": None,
                    "finished_at": tools.clock(),
                },
            )

        await tools.graph.write(work)
        tools.vault.forget(uid)
        _log.info(f"{self.what} ended", request_uid=uid)

    def _ended(self, person: Person) -> tuple[str, ...]:
        """Whom nothing names any more after it."""
        return person.uids

    async def _told(self) -> Row:
        """The counts of the receipt, and under `events` how many events lost their payloads."""
        tools = self.case.tools
        scopes = self.kept.get("scopes", {}).values()
        destroyed = {
            "data_keys": len(scopes),
            "blobs": sum(count for count, _ in scopes),
            "blob_bytes": sum(size for _, size in scopes),
        }
        counts = added(self.done, {"stores": destroyed})
        events, redacted = await privacy_requests.count_erased(
            tools.graph, self.tenant_id, self.kept["branch_refs"], self.row["uid"]
        )
        return {
            "nodes": counts["nodes"],
            "edges": counts["edges"],
            "stores": stores_of(counts),
            "redacted": redacted,
            "derived": self.kept["derived"] + counts["stores"].get("derived", 0),
            "kept_for_review": self.kept["review_count"],
            "held": await tools.vault.held(self.tenant_id, self.row["subject_uids"]),
            "shared_before": self.kept["shared_before"],
            "shared_after": await digest_of_shared(tools.graph, self.tenant_id),
            "events": events,
        }

    async def _stand(self, stage: Stage, **changes: Any) -> None:
        moved, _ = await self.case.tools.graph.write(
            partial(
                privacy_requests.update_request.one,
                tenant_id=self.tenant_id,
                uid=self.row["uid"],
                stages=list(CARRIED_OUT),
                changes={"stage": stage.value, **changes},
            )
        )
        if moved is None:
            raise Conflict("The request was taken back meanwhile.")

    async def _note(self, tx: Transaction, tally: Tally) -> None:
        await self._write(tx, added(self.done, tally.counts()), self.kept)

    async def _keep(self, **kept: Any) -> None:
        new = self.kept | kept
        await self.case.tools.graph.write(lambda tx: self._write(tx, self.done, new))
        self.kept = new

    async def _write(self, tx: Transaction, counts: Counts, kept: Row) -> None:
        noted = await privacy_requests.note_done.one(
            tx,
            tenant_id=self.tenant_id,
            uid=self.row["uid"],
            lease=self.lease.name,
            owner=self.lease.owner,
            lease_s=LEASE_S,
            done=canonical({"counts": counts, "kept": kept}),
        )
        if noted is None:
            raise LeaseLost
