"""The walk over everything of a tenant whose time is over, in batches, each of which is one transaction.

A preview is the same walk without writing. What goes frees what it referred to, so the walk is taken again
until it changes nothing: a run that follows finds nothing to do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from service.graph import erasure, retention
from service.graph.driver import Graph, Transaction
from service.model.chain import stamp
from service.model.configuration import RetentionRule
from service.model.vocabulary import Label, RetentionAction
from service.policies.retention import DESTROYING, Cause, Decision, Retained, decide
from service.storage.blobs import Blobs
from service.usecases.erasure.vault import blobs_in
from service.usecases.hide_people import show
from service.usecases.retention.actions import blob_of, inline_of, offloaded, without_words
from service.usecases.retention.reading import (
    OF_DELETING,
    Branches,
    Needed,
    Row,
    before_of,
    read_branches,
    read_needed,
    retained,
)
from service.usecases.retention.tally import Tally

PASSES_MAX: Final = 10
"""What is freed later than that is for the next run."""
ASSEMBLIES_PER_BATCH: Final = 500
BLOB_MARK: Final = '"blob"'
"""What a payload has that names a blob."""
DELETED: Final[tuple[Label, ...]] = (
    *(Label.MESSAGE, Label.MODEL_RUN, Label.TOOL_CALL, Label.TOOL_ARTIFACT, Label.TOOL_MEMORY),
    *(Label.USER_MEMORY, Label.CLAIM, Label.PIN, Label.SKILL_STATE, Label.WORKING_MEMORY),
    *(Label.CONTINUATION_CHECKPOINT, Label.CONTEXT_ASSEMBLY),
)
"""Labels as the query `retention/delete_items` takes them."""
Blob = tuple[tuple[str, ...], str]
"""Whose a blob is, and its SHA-256."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What makes a walk a run: in whose name payloads go, and what stands in each batch's own transaction."""

    run_uid: str
    begin: Callable[[], object]
    """Says in the ledger that it begins; called before each batch that destroys something, and may be."""
    note: Callable[[Transaction, Tally, Collection[Blob]], Awaitable[None]]
    held: Callable[[Transaction], Awaitable[frozenset[str]]]
    """Asked in each batch: a hold that is set during a run keeps what the run has not come to."""


@dataclass(slots=True)
class _Batch:
    """What one transaction decides."""

    tally: Tally = field(default_factory=Tally)
    named: dict[str, list[str]] = field(default_factory=lambda: {label.value: [] for label in DELETED})
    changed: list[Row] = field(default_factory=list)
    places: dict[tuple[int, int], list[Row]] = field(default_factory=dict)
    """Items without words from now on, by the place whose payload tells of them."""
    payloads: dict[str, str | None] = field(default_factory=dict)
    """Events whose payloads go, with their bodies where these name blobs."""
    loose: set[Blob] = field(default_factory=set)
    acted: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    archived: set[str] = field(default_factory=set)

    @property
    def destroys(self) -> bool:
        return bool(self.gone or self.payloads)


@dataclass(slots=True)
class Walk:
    """One walk. `held` are the people whom legal holds in force cover."""

    graph: Graph
    blobs: Blobs
    tenant_id: str
    rules: Mapping[Label, RetentionRule]
    held: frozenset[str]
    now: datetime
    writing: Writing | None = None
    tally: Tally = field(default_factory=Tally)
    loose: set[Blob] = field(default_factory=set)
    """Blobs that nothing may name any more."""
    _acted: set[str] = field(default_factory=set)
    _gone: set[str] = field(default_factory=set)
    _archived: set[str] = field(default_factory=set)

    async def run(self) -> Tally:
        """Everything whose time is over. Raises what the note of a batch does, and Unavailable."""
        if not before_of(self.rules, self.now):
            return self.tally
        branches = await read_branches(self.graph, self.tenant_id)
        for _ in range(PASSES_MAX):
            self.tally.kept = Counter()
            freed = len(self._gone) + len(self._archived)
            await self._assemblies()
            for stretches in branches.stretches():
                await self._write(partial(self._items, branches, stretches))
            waiting = any(cause == Cause.REFERRED_TO for _, cause in self.tally.kept)
            if len(self._gone) + len(self._archived) == freed or not waiting:
                break
        return self.tally

    async def _write(self, decide_on: Callable[[Transaction, _Batch], Awaitable[object]]) -> _Batch:
        async def unit(tx: Transaction) -> _Batch:
            batch = _Batch()
            if self.writing is not None:
                self.held = await self.writing.held(tx)
            await decide_on(tx, batch)
            if self.writing is not None:
                await self._carry_out(tx, batch, self.writing)
            return batch

        batch, _ = await self.graph.write(unit)
        self._acted |= batch.acted
        self._gone |= batch.gone
        self._archived |= batch.archived
        self.loose |= batch.loose
        self.tally.done += batch.tally.done
        self.tally.kept += batch.tally.kept
        return batch

    async def _carry_out(self, tx: Transaction, batch: _Batch, writing: Writing) -> None:
        if not (batch.acted or batch.payloads):
            return
        if batch.destroys:
            writing.begin()
        if batch.payloads:
            await retention.destroy_payloads.one(
                tx, tenant_id=self.tenant_id, event_uids=sorted(batch.payloads), erased_by=writing.run_uid
            )
        if batch.changed:
            await erasure.update_nodes.none(tx, tenant_id=self.tenant_id, nodes=batch.changed)
        if any(batch.named.values()):
            await retention.delete_items.one(tx, tenant_id=self.tenant_id, named=batch.named)
        await show(tx, self.tenant_id, [])  # every process forgets what it keeps of this tenant
        await writing.note(tx, Tally(self.tally.done + batch.tally.done), self.loose | batch.loose)

    async def _assemblies(self) -> None:
        rule = self.rules.get(Label.CONTEXT_ASSEMBLY)
        if rule is None or rule.action is not RetentionAction.DELETE or rule.after_days is None:
            return  # they have no words: nothing but deleting changes them
        before, passed = self.now - timedelta(days=rule.after_days), 0
        while True:
            found: list[Row] = []
            batch = await self._write(partial(self._decide_assemblies, before, passed, found))
            passed += len(found) - (len(batch.gone) if self.writing is not None else 0)
            if len(found) < ASSEMBLIES_PER_BATCH:
                return

    async def _decide_assemblies(
        self, before: datetime, passed: int, found: list[Row], tx: Transaction, batch: _Batch
    ) -> None:
        found[:] = await retention.find_assemblies.many(
            tx,
            tenant_id=self.tenant_id,
            before=before,
            passed=passed,
            limit=ASSEMBLIES_PER_BATCH,
            lock=self.writing is not None,
        )
        for row in found:
            if row["uid"] in self._acted:
                continue
            record = Retained(
                Label.CONTEXT_ASSEMBLY,
                row["recorded_at"],
                held=not self.held.isdisjoint(row["people"]),
                referred_to=bool(self._live(row["referrers"], batch)),
                restricted=row["restricted"],
            )
            decision = decide(record, self.rules, self.now)
            if decision.cause is Cause.DUE:
                batch.named[Label.CONTEXT_ASSEMBLY.value].append(row["uid"])
                self._act(batch, Label.CONTEXT_ASSEMBLY, row["uid"], decision.action)
            else:
                batch.tally.keep(Label.CONTEXT_ASSEMBLY, decision.cause)

    async def _items(self, branches: Branches, stretches: list[Row], tx: Transaction, batch: _Batch) -> None:
        where = {"tenant_id": self.tenant_id, "stretches": stretches}
        before = before_of(self.rules, self.now)
        if before.keys() - {Label.PAYLOAD.value, Label.CONTEXT_ASSEMBLY.value}:
            lock = self.writing is not None
            items = await retention.find_items.many(tx, before=before, lock=lock, **where)
            items = [one for one in items if one["uid"] not in self._acted]
            needed = await read_needed(tx, self.tenant_id, branches, items)
            self._decide_items(branches, items, needed, batch)
            await self._offload(batch)
            await self._payloads_of(tx, branches, batch)
        if (day := before.get(Label.PAYLOAD.value)) is not None:
            rows = await retention.find_payloads.many(tx, before=stamp(day), mark=BLOB_MARK, **where)
            self._decide_payloads(branches, rows, batch)

    def _decide_items(self, branches: Branches, items: Sequence[Row], needed: Needed, batch: _Batch) -> None:
        """Until nothing more is freed: what goes may have kept another one of the batch."""
        waiting, pairs = list(items), {one["uid"]: one for one in items}
        decided: dict[str, Decision] = {}
        while waiting:
            left = []
            for item in waiting:
                decision = self._decide(branches, item, needed, pairs, batch)
                decided[item["uid"]] = decision
                if decision.cause is Cause.DUE:
                    self._change(batch, item, decision.action)
                elif decision.cause is Cause.REFERRED_TO:
                    left.append(item)
            if len(left) == len(waiting):
                break
            waiting = left
        for uid, decision in decided.items():
            batch.tally.keep(Label(pairs[uid]["label"]), decision.cause)

    def _decide(
        self,
        branches: Branches,
        item: Row,
        needed: Needed,
        pairs: Mapping[str, Row],
        batch: _Batch,
        partner: str | None = None,
    ) -> Decision:
        people = {*item["kept"].get("subject_uids", ()), *branches.by_ref[item["branch_ref"]]["people"]}
        rule = self.rules[Label(item["label"])]
        deletes, archives = (rule.action is one for one in (RetentionAction.DELETE, RetentionAction.ARCHIVE))
        live = [
            one
            for one in self._live(item["referrers"], batch)
            if (deletes or one["type"] not in OF_DELETING)
            and not (archives and self._is_archived(one, batch))
        ]
        is_needed = any(uid not in batch.gone | self._gone for uid in needed.uids_of(item))
        held = not self.held.isdisjoint(people)
        decision = decide(
            retained(item, held=held, referred_to=bool(live) or is_needed), self.rules, self.now
        )
        if not deletes or decision.cause is not Cause.DUE:
            return decision
        for uid in item["pair_uids"]:  # a call and its artifact go together
            if uid in (partner, *batch.gone, *self._gone):
                continue
            other = pairs.get(uid)
            goes = other and self._decide(branches, other, needed, pairs, batch, item["uid"])
            if goes != Decision(RetentionAction.DELETE, Cause.DUE):
                return Decision(RetentionAction.KEEP, Cause.REFERRED_TO)
        return decision

    def _change(self, batch: _Batch, item: Row, action: RetentionAction) -> None:
        label, uid, kept = Label(item["label"]), item["uid"], item["kept"]
        match action:
            case RetentionAction.DELETE:
                batch.named[label.value].append(uid)
            case RetentionAction.ARCHIVE:
                batch.changed.append({"uid": uid, "properties": {"retained_as": action.value}})
            case RetentionAction.OFFLOAD:
                batch.changed.append({"uid": uid, "properties": offloaded(label, kept), "item": item})
            case _:
                batch.changed.append({"uid": uid, "properties": without_words(label, kept, action)})
        if action in DESTROYING:
            seq = kept.get("result_seq") if label is Label.TOOL_ARTIFACT else item["seq"]
            batch.places.setdefault((item["branch_ref"], seq), []).append(item)
        self._act(batch, label, uid, action)

    def _act(self, batch: _Batch, label: Label, uid: str, action: RetentionAction) -> None:
        batch.tally.act(label, action)
        batch.acted.add(uid)
        if action in DESTROYING:
            batch.gone.add(uid)
        elif action is RetentionAction.ARCHIVE:
            batch.archived.add(uid)

    async def _offload(self, batch: _Batch) -> None:
        """A blob is written before the node names it."""
        for change in batch.changed:
            item = change.pop("item", None)
            if item is None or self.writing is None:
                continue
            label, kept = Label(item["label"]), item["kept"]
            data = (inline_of(label, kept) or "").encode()
            sha256 = blob_of(label, kept | change["properties"])
            assert sha256 is not None, "it is a blob now"
            await self.blobs.put(self.tenant_id, kept["subject_uids"], sha256, data)

    async def _payloads_of(self, tx: Transaction, branches: Branches, batch: _Batch) -> None:
        """The payloads of items that are gone go with the last of them."""
        if not batch.places:
            return
        rule = self.rules.get(Label.PAYLOAD)
        rows = await retention.find_events.many(
            tx,
            tenant_id=self.tenant_id,
            places=[{"branch_ref": ref, "seq": seq} for ref, seq in batch.places],
            mark=BLOB_MARK,
        )
        told = ""
        for row in rows:
            keeps = rule is not None and rule.action is RetentionAction.KEEP
            keeps = keeps or bool(set(row["readable"]) - batch.gone - self._gone)
            people = branches.by_ref[row["branch_ref"]]["people"]
            for event in row["events"]:
                held = not self.held.isdisjoint([*event["subject_uids"], *people])
                if keeps or held or event["at"] > stamp(self.now):
                    told += event["body"] or ""
                else:
                    self._destroy(batch, event)
        for items in batch.places.values():
            for item in items:
                sha256 = blob_of(Label(item["label"]), item["kept"])
                if sha256 is not None and sha256 not in told:
                    batch.loose.add((tuple(item["kept"]["subject_uids"]), sha256))

    def _decide_payloads(self, branches: Branches, rows: Iterable[Row], batch: _Batch) -> None:
        for row in rows:
            if row["uid"] in self._acted or row["uid"] in batch.payloads:
                continue
            people = [*row["subject_uids"], *branches.by_ref[row["branch_ref"]]["people"]]
            action = self.rules[Label.PAYLOAD].action
            record = Retained(
                Label.PAYLOAD,
                datetime.fromisoformat(row["recorded_at"]),
                held=not self.held.isdisjoint(people),
                referred_to=bool(self._live(row["referrers"], batch)),
                restricted=row["restricted"],
                has_text=action is not RetentionAction.ARCHIVE,  # nothing shows it but the log
            )
            decision = decide(record, self.rules, self.now)
            if decision.cause is Cause.DUE:
                self._destroy(batch, row)
            else:
                batch.tally.keep(Label.PAYLOAD, decision.cause)

    def _destroy(self, batch: _Batch, event: Row) -> None:
        if event["uid"] in batch.payloads or event["uid"] in self._acted:
            return
        batch.payloads[event["uid"]] = event["body"]
        batch.acted.add(event["uid"])
        batch.tally.act(Label.PAYLOAD, RetentionAction.DELETE)
        found = blobs_in(json.loads(event["body"])) if event["body"] else ()
        batch.loose |= {(tuple(event["subject_uids"]), sha256) for sha256 in found}

    def _is_archived(self, referrer: Any, batch: _Batch) -> bool:
        """What is archived itself asks for no more of what it refers to than that it be kept."""
        return referrer["archived"] or referrer["uid"] in batch.archived | self._archived

    def _live(self, referrers: Iterable[Any], batch: _Batch) -> list[Any]:
        return [one for one in referrers if one["uid"] not in batch.gone and one["uid"] not in self._gone]
