"""Carry a tenant's retention rules out, to the end and once, whatever dies; or say what would go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog

from service.clock import Clock, FixedClock
from service.errors import Conflict
from service.graph import legal_holds, privacy_requests, retention
from service.graph.driver import Graph, Transaction
from service.graph.people import list_same
from service.ids import new_uid
from service.log.ledger import EVENTS, EntryKind, Ledger
from service.log.tree_heads import Signer
from service.model.chain import stamp
from service.model.configuration import RetentionRule
from service.model.privacy import Destruction
from service.model.vocabulary import Label
from service.storage.blobs import Blobs
from service.usecases.configure_tenant import Configurations
from service.usecases.erasure.people import ALIKE_MAX
from service.usecases.erasure.vault import HOLDS_MAX, in_force
from service.usecases.know_erasures import KnownErasures
from service.usecases.purge_knowledge import PurgeKnowledge
from service.usecases.retention.reading import read_branches
from service.usecases.retention.tally import Counts, Tally
from service.usecases.retention.walk import Blob, Walk, Writing
from service.usecases.run_lease import Lease

NAMED_WITHIN: Final = timedelta(hours=1)
"""A blob that was stored so long ago is named by a node, or by none."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run at `until` would do."""

    until: datetime
    rules: Mapping[Label, RetentionRule]
    done: Counts
    """By label and action."""
    kept: Counts
    """By label and cause: what stays although its time is over."""
    purged: dict[str, int]
    """Of the knowledge graph, by the job `purge_knowledge`."""


@dataclass(frozen=True, slots=True)
class CarryOutRetention:
    """The use case. The ledger says that it begins before anything is destroyed."""

    graph: Graph
    blobs: Blobs
    ledger: Ledger
    signer: Callable[[], Signer]
    known: KnownErasures
    clock: Clock
    configurations: Configurations

    async def preview(self, tenant_id: str, until: datetime | None = None) -> Preview:
        """What a run would do, now or at a time to come, by the queries of the run. Nothing is changed.

        On a tenant that is left alone until then it is what the run does.
        """
        at = until or self.clock()
        rules = await self._rules(tenant_id)
        held = await self.graph.read(lambda tx: self._held(tx, tenant_id, at))
        told = (await Walk(self.graph, self.blobs, tenant_id, rules, held, at).run()).told()
        purge = PurgeKnowledge(self.graph, FixedClock(at), self.configurations)
        return Preview(at, rules, told["done"], told["kept"], await purge(tenant_id, dry_run=True))

    async def __call__(self, tenant_id: str) -> Tally | None:
        """Run, after what a process that died had begun; answers what was done and what stays. None where
        another process runs. Raises Unavailable, LeaseLost, or what the ledger raises: nothing is destroyed
        then."""
        lease = await Lease.take(self.graph, f"retention/{tenant_id}")
        if lease is None:
            return None
        try:
            tally = await self._all(tenant_id, lease)
        except BaseException:
            await lease.release()
            raise
        await lease.drop()
        return tally

    async def _all(self, tenant_id: str, lease: Lease) -> Tally:
        """What a run that died had begun, under its own name and time; then a run of its own."""
        left = lease.left
        before = Tally.of(left)
        loose = {(tuple(people), sha256) for people, sha256 in left.get("loose", ())}
        unfinished = self.known.unfinished(Destruction.RETENTION)
        for begun in (one for one in unfinished if one.tenant_id == tenant_id):
            before = await self._walked(tenant_id, lease, begun.request_uid, _time(begun.at), before, loose)
            loose = set()
        await self._delete_loose(tenant_id, loose)
        after = await self._walked(tenant_id, lease, new_uid(), self.clock(), Tally(), set())
        return Tally(before.done + after.done, after.kept)

    async def _walked(
        self, tenant_id: str, lease: Lease, run_uid: str, at: datetime, done: Tally, loose: Iterable[Blob]
    ) -> Tally:
        """One run under one name. `done` is what was done in it before."""

        begun = False

        def begin() -> None:
            nonlocal begun
            if begun:
                return
            self.ledger.begin(
                self.signer(),
                tenant_id=tenant_id,
                request_uid=run_uid,
                what=Destruction.RETENTION,
                subject_uids=(),
                plan_digest=None,
                at=stamp(at),
            )
            begun = True

        async def note(tx: Transaction, tally: Tally, loosened: Collection[Blob]) -> None:
            report = tally.told() | {"loose": [[list(people), sha] for people, sha in sorted(loosened)]}
            await lease.note(tx, report)

        async def held(tx: Transaction) -> frozenset[str]:
            return await self._held(tx, tenant_id, at)

        walk = Walk(
            self.graph,
            self.blobs,
            tenant_id,
            await self._rules(tenant_id),
            frozenset(),
            at,
            Writing(run_uid, begin, note, held),
            Tally(done.done.copy()),
            set(loose),
        )
        tally = await walk.run()
        await self._delete_loose(tenant_id, walk.loose)
        if self.known.entry(run_uid, EntryKind.BEGUN) is not None:
            events = await self._events(tenant_id, run_uid)
            counts = {EVENTS: events, **tally.flat()}
            self.ledger.end(
                self.signer(), request_uid=run_uid, counts=counts, receipt_sha256=None, at=stamp(self.clock())
            )
            _log.info("retention ended", request_uid=run_uid)
        await self.graph.write(lambda tx: lease.note(tx, {}))
        return tally

    async def _delete_loose(self, tenant_id: str, loose: Iterable[Blob]) -> None:
        """Blobs that nothing names any more."""
        for people, sha256 in sorted(loose):
            reading = partial(
                retention.count_namers.one, tenant_id=tenant_id, sha256=sha256, subject_uids=list(people)
            )
            found = await self.graph.read(reading)
            if found is not None and not found["namers"]:
                await self.blobs.delete_old(tenant_id, people, sha256, self.clock() - NAMED_WITHIN)

    async def _events(self, tenant_id: str, run_uid: str) -> int:
        """How many events a run took the payload of; of runs that died in it too."""
        refs = [row["branch_ref"] for row in (await read_branches(self.graph, tenant_id)).rows]
        events, _ = await privacy_requests.count_erased(self.graph, tenant_id, refs, run_uid)
        return events

    async def _rules(self, tenant_id: str) -> Mapping[Label, RetentionRule]:
        return (await self.graph.read(lambda tx: self.configurations.active(tx, tenant_id))).retention

    async def _held(self, tx: Transaction, tenant_id: str, at: datetime) -> frozenset[str]:
        """The people whom a legal hold covers that is in force at a time."""
        rows = await legal_holds.list_holds.many(tx, tenant_id=tenant_id, people=[], limit=HOLDS_MAX)
        if len(rows) == HOLDS_MAX:
            raise Conflict(f"The tenant has more than {HOLDS_MAX - 1} legal holds: end some.")
        held = {uid for row in rows if in_force(row["hold"], at) for uid in row["hold"]["subject_uids"]}
        if not held:
            return frozenset()
        alike = await list_same.many(  # who is said to be the same person since then is held too
            tx, tenant_id=tenant_id, uids=sorted(held), limit=len(held) * ALIKE_MAX + 1
        )
        return frozenset(held.union(row["uid"] for row in alike))


def told(tally: Tally | None) -> dict[str, Any]:
    """A run's outcome, for reports."""
    return {"running_elsewhere": 1} if tally is None else tally.told()


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
