"""Let a tenant leave: everything of it is destroyed, to the end and once, and a signed receipt says so.

Ledger entry → keys of the API and the tenant's own node go, in one transaction: nobody is let in → data keys
→ every node, by the database's own numbers → blobs → absence check → receipt → ledger ended. Each step may be
repeated: what is gone is not found again, and counts stand in the lease.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from service.clock import Clock
from service.errors import Conflict, NotFound, ResidueFound
from service.graph import job_leases, legal_holds, offboarding, privacy_requests, tenants
from service.graph.absence import Walked, all_nodes
from service.graph.driver import Graph, Transaction
from service.graph.ledger_mark import advance_mark
from service.ids import new_uid
from service.log.ledger import EVENTS, EntryKind, LedgerEntry
from service.log.receipts import Receipt, Scan, Store, Window, receipt_sha256
from service.log.tree_heads import Signer
from service.model.chain import canonical, stamp
from service.model.privacy import Destruction, Stage
from service.private_files import read_or_make
from service.usecases.checkpoint_store import checkpoint_store
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.proof import HOW_TO_END
from service.usecases.erasure.run import CARRIED_OUT
from service.usecases.erasure.vault import HOLDS_MAX, PURPOSE, in_force
from service.usecases.know_erasures import KnownErasures
from service.usecases.manage_keys import CACHE_AGE_MAX
from service.usecases.run_lease import Lease

REQUESTS_MAX: Final = 1_000
WALKS_MAX: Final = 10
"""Walks that may find something: what was let in before the keys went writes no longer than one."""
RECEIPTS: Final = "receipts"
"""Folder beside the ledger: the tenant has no node any more that could have its receipt."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OffboardingPlan:
    """What would be destroyed: nodes by label, edges by type, and what lies outside the graph."""

    tenant_id: str
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    data_keys: int
    blobs: int
    blob_bytes: int
    holds: int
    """Legal holds in force: while there is one the tenant stays."""

    def digest(self) -> str:
        """SHA-256 over all of it, in hex: what an approval is for."""
        said = {name: getattr(self, name) for name in self.__slots__}
        return hashlib.sha256(canonical(said).encode()).hexdigest()


@dataclass(slots=True)
class OffboardTenant:
    """The use case. `settle_s` is waited for before the last walk: so long another process may know a key
    that was revoked."""

    graph: Graph
    custody: Custody
    signer: Callable[[], Signer]
    known: KnownErasures
    clock: Clock
    settle_s: float = CACHE_AGE_MAX.total_seconds() + 2.0

    async def plan(self, name: str) -> OffboardingPlan:
        """What would go. Nothing is changed. Raises NotFound."""
        found = await self.graph.read(partial(tenants.find_tenant.one, name=name))
        if found is None:
            raise NotFound("tenant")
        tenant_id = found["tenant_id"]
        tally = _Tally()
        async for batch in offboarding.owned(self.graph, tenant_id):
            tally.add(batch)
        blobs, size = await self.custody.blobs.count_tenant(tenant_id)
        keys = len(self.custody.data_keys.scopes(tenant_id))
        holds = await self._holds(tenant_id)
        return OffboardingPlan(tenant_id, _some(tally.nodes), _some(tally.edges), keys, blobs, size, holds)

    async def begin(self, name: str, plan_digest: str) -> LedgerEntry:
        """Say in the ledger that the tenant leaves, as planned. Raises NotFound, Conflict where the graph has
        moved since, a legal hold is in force or a person's request is under way."""
        plan = await self.plan(name)
        if plan.holds:
            raise Conflict("A legal hold is in force on somebody of the tenant.")
        if await self._requests_under_way(plan.tenant_id):
            raise Conflict("A person's request is being carried out: let it end.")
        if plan.digest() != plan_digest:
            raise Conflict("The tenant is not as it was planned: plan again.")
        return self.custody.ledger.begin(
            self.signer(),
            tenant_id=plan.tenant_id,
            request_uid=new_uid(),
            what=Destruction.OFFBOARDING,
            subject_uids=(),
            plan_digest=plan_digest,
            at=stamp(self.clock()),
        )

    async def close(self, begun: LedgerEntry) -> None:
        """Let nobody in any more, at once; the rest is for `go_on`. Nothing where another process runs."""
        lease = await Lease.take(self.graph, f"offboarding/{begun.tenant_id}")
        if lease is not None:
            await _Run(self, begun, lease, _Tally.of(lease.left)).close()
            await lease.release()

    async def go_on(self) -> int:
        """Carry out whatever was begun and has not ended; answers how many tenants left."""
        unfinished = self.known.unfinished(Destruction.OFFBOARDING)
        return sum([await self.carry_out(entry) for entry in unfinished])

    def receipt(self, request_uid: str) -> str | None:
        """The text of a receipt, where the tenant has left."""
        path = self._receipt_path(request_uid)
        return path.read_text("utf-8") if path.exists() else None

    def entry(self, request_uid: str, kind: EntryKind) -> LedgerEntry | None:
        """What the ledger says of a tenant's leaving."""
        found = self.known.entry(request_uid, kind)
        return found if found is not None and found.what is Destruction.OFFBOARDING else None

    async def carry_out(self, begun: LedgerEntry) -> bool:
        """Run or go on, also again in a database that was restored; False where another process does. Raises
        ResidueFound, Unavailable, LeaseLost."""
        lease = await Lease.take(self.graph, f"offboarding/{begun.tenant_id}")
        if lease is None:
            return False
        run = _Run(self, begun, lease, _Tally.of(lease.left))
        try:
            await run.close()
            await run.destroy()
            await run.check()
            await run.end()
        except BaseException:
            await lease.release()
            raise
        await lease.drop()
        _log.info("tenant left", request_uid=begun.request_uid)
        return True

    async def _holds(self, tenant_id: str) -> int:
        rows = await self.graph.read(
            partial(legal_holds.list_holds.many, tenant_id=tenant_id, people=[], limit=HOLDS_MAX)
        )
        now = self.clock()
        return sum(in_force(row["hold"], now) for row in rows)

    async def _requests_under_way(self, tenant_id: str) -> bool:
        stages: list[str] = [Stage(stage).value for stage in CARRIED_OUT]
        rows = await self.graph.read(
            partial(privacy_requests.list_approved.many, stages=stages, limit=REQUESTS_MAX)
        )
        return any(row["tenant_id"] == tenant_id for row in rows)

    def _receipt_path(self, request_uid: str) -> Path:
        return self.custody.ledger.path.with_name(RECEIPTS) / f"{request_uid}.json"


@dataclass(slots=True)
class _Tally:
    """What is gone, as the lease keeps it. `stores` has what is counted before it is destroyed."""

    nodes: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    stores: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, left: Mapping[str, Any]) -> _Tally:
        return cls(
            Counter(left.get("nodes", {})), Counter(left.get("edges", {})), dict(left.get("stores", {}))
        )

    def add(self, batch: Mapping[str, Any]) -> None:
        self.nodes.update({one["name"]: one["number"] for one in batch["labels"]})
        self.edges.update({one["name"]: one["number"] for one in batch["edges"]})

    def told(self) -> dict[str, dict[str, int]]:
        return {"nodes": dict(self.nodes), "edges": dict(self.edges), "stores": self.stores}


@dataclass(slots=True)
class _Run:
    case: OffboardTenant
    begun: LedgerEntry
    lease: Lease
    done: _Tally
    walked: Walked = field(default_factory=Walked)

    async def close(self) -> None:
        """Nobody is let in from here on, and a restored database is told from this one by its mark."""
        tenant_id, custody = self.begun.tenant_id, self.case.custody
        if not self.done.stores:
            blobs, size = await custody.blobs.count_tenant(tenant_id)
            keys = len(custody.data_keys.scopes(tenant_id))
            self.done.stores = {"data_keys": keys, "blobs": blobs, "blob_bytes": size}

        async def work(tx: Transaction) -> _Tally:
            done = _Tally.of(self.done.told())
            closed = await offboarding.close_tenant.sole(tx, tenant_id=tenant_id)
            done.add(closed)
            await advance_mark(tx, self.begun.ledger_seq, self.case.known.mark_name)
            await self.lease.note(tx, done.told())
            return done

        self.done, _ = await self.case.graph.write(work)

    async def destroy(self) -> None:
        """Data keys, nodes, then blobs."""
        tenant_id, custody = self.begun.tenant_id, self.case.custody
        custody.data_keys.destroy_tenant(tenant_id)
        for walk in range(WALKS_MAX):
            found = await self._walk()
            if not found and walk:
                break
            if not walk:
                await asyncio.sleep(self.case.settle_s)
        names = [f"{what}/{tenant_id}" for what in ("privacy", "retention")]
        await self.case.graph.write(partial(job_leases.delete_leases.none, names=names))
        custody.data_keys.destroy_tenant(tenant_id)
        await custody.blobs.delete_tenant(tenant_id)

    async def _walk(self) -> int:
        async def erased(tx: Transaction, batch: dict[str, Any]) -> None:
            for uid in batch["request_uids"]:
                self.case.custody.data_keys.destroy_named(PURPOSE, uid)
            done = _Tally.of(self.done.told())
            done.add(batch)
            await self.lease.note(tx, done.told())

        found = 0
        async for batch in offboarding.owned(self.case.graph, self.begun.tenant_id, erased):
            self.done.add(batch)
            found += len(batch["labels"])
        return found

    async def check(self) -> None:
        """By the queries of the absence scan: no node has the tenant's id, and no blob is the tenant's."""
        tenant_id, places = self.begun.tenant_id, set[str]()
        async for rows in all_nodes(self.case.graph, tenant_id, self.walked):
            places |= {
                ":".join(row["labels"]) for row in rows if row["properties"].get("tenant_id") == tenant_id
            }
        blobs, _ = await self.case.custody.blobs.count_tenant(tenant_id)
        if blobs:
            places.add("blobs")
        if self.case.custody.data_keys.scopes(tenant_id):
            places.add("data_keys")
        if places:
            raise ResidueFound(sorted(places))

    async def end(self) -> None:
        """The receipt on the disk, then its hash in the ledger."""
        case, uid = self.case, self.begun.request_uid
        if case.entry(uid, EntryKind.ENDED) is not None:  # it was done again in a restored database
            return
        windows = await checkpoint_store(case.graph, case.custody.logs)
        path = case._receipt_path(uid)
        made = read_or_make(path, lambda: self._receipt(windows).encode() + b"\n")
        text = made.decode()
        case.custody.ledger.end(
            case.signer(),
            request_uid=uid,
            counts={EVENTS: 0, **{f"{name}.delete": n for name, n in sorted(self.done.nodes.items()) if n}},
            receipt_sha256=receipt_sha256(text),
            at=json.loads(text)["ended_at"],
        )

    def _receipt(self, windows: Any) -> str:
        begun, stores = self.begun, self.done.stores
        return Receipt(
            request_uid=begun.request_uid,
            tenant_id=begun.tenant_id,
            kind=begun.what,
            subject_uids=(),
            plan_digest=begun.plan_digest,
            begun_at=begun.at,
            ended_at=stamp(self.case.clock()),
            nodes=_some(self.done.nodes),
            edges=_some(self.done.edges),
            stores={
                "data_keys": Store(number=stores["data_keys"], size_bytes=0),
                "blobs": Store(number=stores["blobs"], size_bytes=stores["blob_bytes"]),
            },
            scan=Scan(graph_values=self.walked.seen, needles=1),
            windows=tuple(Window(store=one.value, how_to_end=HOW_TO_END[one]) for one in windows),
            ledger_seq=begun.ledger_seq,
        ).signed(self.case.signer())


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in sorted(counts.items()) if count}
