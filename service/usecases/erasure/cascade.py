"""The cascade: everything that is a person's alone, in batches, each of which is one transaction.

A preview runs the same steps without erasing. A run may be interrupted anywhere and begun again: what is gone
is not found again, and each batch counts what it did in its own transaction.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from service.graph import erasure, retention
from service.graph.driver import Graph, Transaction
from service.model.vocabulary import Label
from service.storage.blobs import Blobs
from service.usecases.erasure.people import Conversation, Person, Row
from service.usecases.erasure.tally import Tally

NODES_PER_BATCH: Final = 100
ERASED_WITH_THEIR_SOURCE: Final = (Label.JUDGEMENT, Label.LEARNING_CANDIDATE, Label.INSIGHT)
"""They say nothing of their own: others beside the person keep nothing by them."""

Item = TypeVar("Item")
Derive = Callable[[Sequence[Row]], Awaitable[int]]
Note = Callable[[Transaction, Tally], Awaitable[None]]
"""Writes into the batch's own transaction what it did."""


@dataclass(frozen=True, slots=True)
class Cascade:
    """One person's cascade. `erased_by` is the uid of the request; None: nothing is erased, only counted."""

    graph: Graph
    tenant_id: str
    person: Person
    now: datetime
    erased_by: str | None = None
    decided: frozenset[str] = frozenset()
    """Uids of items and events of others that an officer decided to erase."""
    note: Note | None = None
    blobs: Blobs | None = None
    """Where what nobody is named by is sealed for the whole tenant: no key that is destroyed ends it."""
    learned: list[Row] = field(default_factory=list)
    """What was made of the person's messages and others have a part in, to be derived again."""

    def deciding(self, decided: Iterable[str]) -> Cascade:
        """The same cascade, which takes these items and events of others with it."""
        return replace(self, decided=self.decided.union(decided))

    async def run(self, derive: Derive | None = None) -> AsyncIterator[Tally]:
        """Every step in order; yields what each batch did, or would do. `derive` gives what others have a
        part in their words."""
        found = await self.find_knowledge()
        gone = [row for row in found.values() if not _is_shared(row)]
        self.learned.extend(row for row in found.values() if _is_shared(row))
        for some in pages(gone, NODES_PER_BATCH):
            yield await self._batch(partial(self._erase_nodes, some))
        for some in pages(self.learned, NODES_PER_BATCH):
            if derive is not None:
                await derive(some)
            yield await self._batch(partial(self._leave_shared, some))
        for stretches in self.person.batches():
            yield await self._batch(partial(self._erase_stretches, stretches))
        async for tally in self._traces():
            yield tally
        for conversation in self.person.conversations:
            yield await self._batch(partial(self._erase_names, conversation))
        yield await self._batch(self._erase_person)

    async def _batch(self, work: Callable[[Transaction, Tally], Awaitable[None]]) -> Tally:
        async def unit(tx: Transaction) -> Tally:
            tally = Tally()
            await work(tx, tally)
            if self.note is not None:
                await self.note(tx, tally)
            return tally

        tally, _ = await self.graph.write(unit)
        return tally

    async def find_knowledge(self) -> dict[str, Row]:
        """What came of the person's messages, each once, before these are gone and their edges with them."""
        found: dict[str, Row] = {}
        for stretches in self.person.stretches():
            reading = partial(
                erasure.find_knowledge.many,
                tenant_id=self.tenant_id,
                stretches=stretches,
                whole=self.person.whole,
                **self._whose(),
            )
            found |= {row["uid"]: row for row in await self.graph.read(reading)}
        passed = 0
        while True:
            owned = await self.graph.read(
                partial(
                    erasure.list_owned.many,
                    tenant_id=self.tenant_id,
                    people=list(self.person.uids),
                    passed=passed,
                    limit=NODES_PER_BATCH,
                )
            )
            for row in owned:
                found.setdefault(row["uid"], row)
            passed += len(owned)
            if len(owned) < NODES_PER_BATCH:
                return found

    async def _erase_nodes(self, rows: Sequence[Row], tx: Transaction, tally: Tally) -> None:
        named: dict[str, list[str]] = {label: [] for label in NAMED}
        for row in rows:
            named[row["label"]].append(row["uid"])
        tally.add(
            await erasure.erase_nodes.sole(tx, tenant_id=self.tenant_id, named=named, erase=self._erases)
        )

    async def _leave_shared(self, rows: Sequence[Row], tx: Transaction, tally: Tally) -> None:
        left = await erasure.leave_shared.many(
            tx,
            tenant_id=self.tenant_id,
            whole=self.person.whole,
            uids=[row["uid"] for row in rows],
            erase=self._erases,
            **self._whose(),
        )
        for row in left:
            tally.add_edges(row["edges"])
        tally.stores["derived"] += len(left)

    async def _erase_stretches(self, stretches: list[Row], tx: Transaction, tally: Tally) -> None:
        where = {"tenant_id": self.tenant_id, "stretches": stretches, "erase": self._erases, **self._whose()}
        items = await erasure.erase_items.sole(tx, **where)
        tally.add(items)
        erased_by = self.erased_by or self.tenant_id
        payloads = await erasure.erase_payloads.sole(tx, **where, erased_by=erased_by)
        tally.add(payloads)
        if self._erases and self.blobs is not None:
            unnamed = {one["sha256"] for one in items["blobs"] if not one["subject_uids"]}
            await self._delete_unnamed(tx, self.blobs, sorted(unnamed))
        tally.nodes[Label.PAYLOAD] += payloads["payloads"]
        tally.nodes[Label.POLICY_DECISION] += payloads["decisions"]
        tally.stores["events"] += payloads["events"]

    async def _delete_unnamed(self, tx: Transaction, blobs: Blobs, hashes: Sequence[str]) -> None:
        """Delete blobs of nobody that no call and no result of the tenant names any more."""
        for sha256 in hashes:
            counted = await retention.count_namers.sole(
                tx, tenant_id=self.tenant_id, sha256=sha256, subject_uids=[]
            )
            if not counted["namers"]:
                await blobs.delete(self.tenant_id, (), sha256)

    async def _traces(self) -> AsyncIterator[Tally]:
        """What the person's own conversations left beside their items."""
        refs = [b["branch_ref"] for one in self.person.conversations if one.whole for b in one.branches]
        passed = 0
        while refs:
            tally = await self._batch(partial(self._erase_traces, refs, passed))
            yield tally
            found = sum(tally.nodes.values())
            if not found:
                break
            passed += 0 if self._erases else NODES_PER_BATCH

    async def _erase_traces(self, refs: list[int], passed: int, tx: Transaction, tally: Tally) -> None:
        done = await erasure.erase_traces.sole(
            tx,
            tenant_id=self.tenant_id,
            branch_refs=refs,
            passed=passed,
            limit=NODES_PER_BATCH,
            erase=self._erases,
        )
        tally.add(done)

    async def _erase_names(self, conversation: Conversation, tx: Transaction, tally: Tally) -> None:
        done = await erasure.erase_names.one(
            tx,
            tenant_id=self.tenant_id,
            conversation_uid=conversation.uid,
            conversation_id=conversation.conversation_id,
            people=list(self.person.uids),
            whole=conversation.whole,
            erase=self._erases,
        )
        if done is not None:
            tally.add(done)
            tally.stores["names"] += done["names"]
        if not conversation.whole:
            await self._erase_answers(conversation, tx, tally)

    async def _erase_answers(self, conversation: Conversation, tx: Transaction, tally: Tally) -> None:
        """Answers kept for a repetition in a conversation of others, where they name events of the person."""
        for branch in conversation.branches:
            kept = await erasure.list_answers.many(
                tx, tenant_id=self.tenant_id, branch_ref=branch["branch_ref"], limit=ANSWERS_MAX
            )
            done = await erasure.erase_answers.sole(
                tx,
                tenant_id=self.tenant_id,
                branch_ref=branch["branch_ref"],
                answers=[{"key": row["key"], "seqs": _seqs(row["answer"])} for row in kept],
                erase=self._erases,
                **self._whose(),
            )
            tally.nodes[Label.IDEMPOTENCY_RECORD] += done["records"]

    async def _erase_person(self, tx: Transaction, tally: Tally) -> None:
        done = await erasure.erase_person.sole(
            tx,
            tenant_id=self.tenant_id,
            people=list(self.person.uids),
            now=self.now,
            erase=self._erases,
        )
        tally.add(done)
        tally.stores["names"] += done["names"]

    @property
    def _erases(self) -> bool:
        return self.erased_by is not None

    def _whose(self) -> Row:
        return {
            "people": list(self.person.uids),
            "seats": self.person.seats,
            "decided": sorted(self.decided),
        }


def pages(rows: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """The rows in pieces of a size."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _seqs(answer: str) -> list[int]:
    return [one["seq"] for one in json.loads(answer)["events"]]


def _is_shared(row: Row) -> bool:
    """Whether others keep a part in what was made of the person's messages too: a source that stays."""
    return row["label"] not in ERASED_WITH_THEIR_SOURCE and row["kept_sources"] > 0


NAMED = (
    *ERASED_WITH_THEIR_SOURCE,
    *(Label.QUERY, Label.RESPONSE, Label.KNOWLEDGE_DOCUMENT, Label.BOOKING),
)
"""Labels as the query `erasure/erase_nodes` takes them."""
ANSWERS_MAX: Final = 10_000
"""Answers of one branch that are kept at a time; they go after a week."""
