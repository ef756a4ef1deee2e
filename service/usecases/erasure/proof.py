"""The proof of an erasure: what to look for, the search for it before and after, and the signed receipt."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from service.errors import ResidueFound
from service.graph import erasure
from service.graph.driver import Graph
from service.log.ledger import LedgerEntry
from service.log.receipts import Receipt, Scan, Store, Window
from service.log.tree_heads import Signer
from service.model.events.words import all_words
from service.model.privacy import Window as Place
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.absence.findings import BLOBS, GRAPH, Findings, tell_apart
from service.usecases.absence.needles import EXCERPT_CHARACTERS, Needles, NoNeedleError
from service.usecases.absence.scan_blobs import scan_blobs
from service.usecases.absence.scan_files import scan_files
from service.usecases.absence.scan_graph import scan_graph
from service.usecases.absence.scan_keys import scan_keys
from service.usecases.erasure.people import Person, Row
from service.usecases.erasure.tally import Counts

IDS_MAX: Final = 1_000
TEXTS_MAX: Final = 2_000
"""Needles of each kind, taken evenly from all that is to be erased."""
NEEDLE_CHARS_MIN: Final = 8
SHARED_PER_PAGE: Final = 100
HOW_TO_END: Final = {
    Place.STORE_FILES: "runtime-graph db rebuild",
    Place.INDEX_FILES: "runtime-graph db rebuild",
    Place.TRANSACTION_LOG: "the next checkpoint, or runtime-graph db rebuild",
    Place.NO_FILE_ACCESS: "whoever runs the database",
}


Sought = dict[str, list[str]]
"""What to look for: `ids`, which count only where no longer word holds them, and `texts`."""


@dataclass(frozen=True, slots=True)
class Prove:
    """The search and the receipt. `logs` is the folder of the database's transaction log where this process
    can read it; `files` are further places to search, by name."""

    graph: Graph
    blobs: Blobs
    keys: DataKeys
    logs: Path | None
    files: dict[str, Path]

    async def gather(
        self, tenant_id: str, person: Person, names: Iterable[str], derived: Iterable[str]
    ) -> Sought:
        """What only the person's data holds, so that it must be found nowhere after the erasure.

        `derived` are uids of what was made of that data. What others hold as well stays with them rightly and
        proves nothing: it is left out.
        """
        ids, texts, gone, redacted = list[str](), list[str](), {*derived, *_own(person)}, set[str]()
        for stretches in person.batches():
            reading = partial(
                erasure.list_texts.many,
                tenant_id=tenant_id,
                stretches=stretches,
                people=list(person.uids),
                seats=person.seats,
                chars_max=EXCERPT_CHARACTERS,
            )
            for row in await self.graph.read(reading):
                (gone if row["goes"] or row["retold"] else redacted).add(row["uid"])
                if row["goes"]:
                    ids += [row["client_id"]] if row["client_id"] else []
                    texts += [row["text"]] if len(row["text"] or "") >= NEEDLE_CHARS_MIN else []
        called = [one for one in (*names, *person.names()) if one not in all_words()]
        called += [one.conversation_id for one in person.conversations if one.whole]
        try:
            needles = Needles.of(
                ids=filter(str.strip, [*called, *_some(ids, IDS_MAX)]),
                texts=filter(str.strip, _some(texts, TEXTS_MAX)),
            )
            before = await scan_graph(self.graph, needles, tenant_id=tenant_id, without=person.uids)
            left = tell_apart(before, {*gone, None}, redacted)
        except NoNeedleError:
            return {"ids": [], "texts": []}
        named = [text for at, text in enumerate(left.texts) if at in left.ids]
        return {"ids": named, "texts": [text for text in left.texts if text not in named]}

    async def search(
        self, tenant_id: str, erased: Collection[str], needles: Sought, held: Collection[str] = ()
    ) -> Scan:
        """Search the graph, the data keys, the blobs and the files for what must be gone. Raises
        ResidueFound.

        `erased` are people whom nothing may name any more. What legal holds keep sealed, in the scopes
        `held`, is announced by the receipt and not searched.
        """
        count = sum(map(len, needles.values()))
        sought = Needles.of(ids=needles["ids"], texts=needles["texts"]) if count else _NOTHING
        found = await scan_graph(self.graph, sought, tenant_id=tenant_id, erased=erased)
        keys_of = partial(self.keys.scopes_of, tenant_id)
        count_dead = partial(self.blobs.count_dead, tenant_id)
        found.merged(await scan_keys(sought, erased, keys_of, count_dead))
        if count:
            found.merged(await scan_blobs(sought, self.blobs.walk(tenant_id, without=held)))
            there = {name: path for name, path in self.files.items() if path.exists()}
            found.merged(await asyncio.to_thread(scan_files, sought, there))  # logs may be long
        if not found.absent:
            raise ResidueFound(_places(found))
        return Scan(
            graph_values=found.searched[GRAPH],
            blobs=found.searched[BLOBS],
            file_bytes=sum(found.searched[name] for name in self.files),
            needles=count,
        )

    def receipt(
        self,
        signer: Signer,
        begun: LedgerEntry,
        told: Row,
        scan: Scan,
        windows: Iterable[Place],
        ended_at: str,
    ) -> str:
        """The signed receipt; `told` has its counts."""
        return Receipt(
            request_uid=begun.request_uid,
            tenant_id=begun.tenant_id,
            kind=begun.what,
            subject_uids=begun.subject_uids,
            plan_digest=begun.plan_digest,
            begun_at=begun.at,
            ended_at=ended_at,
            ledger_seq=begun.ledger_seq,
            scan=scan,
            windows=tuple(Window(store=one.value, how_to_end=HOW_TO_END[one]) for one in windows),
            **told,
        ).signed(signer)


async def digest_of_shared(graph: Graph, tenant_id: str) -> str:
    """SHA-256 over the tenant's things, documents and prices as they stand, in hex."""
    digest, passed = hashlib.sha256(), 0
    while True:
        reading = partial(
            erasure.digest_shared.many, tenant_id=tenant_id, passed=passed, limit=SHARED_PER_PAGE
        )
        rows = await graph.read(reading)
        for row in rows:
            digest.update(json.dumps(row, sort_keys=True, default=str).encode())
        passed += len(rows)
        if len(rows) < SHARED_PER_PAGE:
            return digest.hexdigest()


def stores_of(counts: Counts) -> dict[str, Store]:
    """The counts of stores as a receipt has them."""
    stores = counts.get("stores", {})
    sizes = {"blobs": stores.get("blob_bytes", 0)}
    return {
        name: Store(number=number, size_bytes=sizes.get(name, 0))
        for name, number in stores.items()
        if name not in ("blob_bytes", "derived")
    }


def _own(person: Person) -> Iterable[str]:
    yield from person.uids
    for one in person.conversations:
        yield one.uid
        yield from (branch["uid"] for branch in one.branches)
        yield from (seat["uid"] for seat in one.seats)


def _some(found: Sequence[str], most: int) -> list[str]:
    """At most so many, evenly taken."""
    step = max(1, -(-len(found) // most))
    return list(found[::step])


def _places(found: Findings) -> list[str]:
    return sorted({f"{hit.store}: {hit.place}" for hit in found.hits})[:PLACES_MAX]


PLACES_MAX: Final = 20
_NOTHING: Final = Needles(("\x00nothing\x00",))
