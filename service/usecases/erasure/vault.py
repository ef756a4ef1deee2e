"""What an erasure keeps sealed: what a legal hold covers, and until its end what the person is called."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from service.clock import Clock
from service.errors import KeysElsewhere, NotFound
from service.graph import erasure, legal_holds
from service.graph.driver import Graph
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.storage.sealed_bytes import seal, unseal
from service.usecases.erasure.people import Person, Row

HOLDS_MAX: Final = 1_000
PURPOSE: Final = "request"


@dataclass(frozen=True, slots=True)
class Vault:
    """What is kept sealed, under keys of its own that end with it."""

    graph: Graph
    blobs: Blobs
    keys: DataKeys
    clock: Clock

    def sealed(self, request_uid: str, known: Row) -> str:
        """What a person is called beside what the graph knows, and what to search for, as the request keeps
        it."""
        key = self.keys.named_key(PURPOSE, request_uid)
        return base64.b64encode(seal(key, json.dumps(known).encode(), request_uid.encode())).decode()

    def opened(self, row: Row) -> Row:
        """The same read again; nothing where the request has ended."""
        key = self.keys.find_named(PURPOSE, row["uid"])
        if key is None or not row.get("identifiers"):
            return {}
        found: Row = json.loads(unseal(key, base64.b64decode(row["identifiers"]), row["uid"].encode()))
        return found

    def need_key(self, row: Row) -> None:
        """Raises KeysElsewhere where a request that goes on is sealed and its key is not here."""
        if row.get("identifiers") and self.keys.find_named(PURPOSE, row["uid"]) is None:
            raise KeysElsewhere

    def forget(self, request_uid: str) -> None:
        """Destroy the key of a request."""
        self.keys.destroy_named(PURPOSE, request_uid)

    async def holds(self, tenant_id: str, people: Iterable[str]) -> list[Row]:
        """The legal holds in force on people."""
        now = self.clock()
        return [hold for hold in await self.all_holds(tenant_id, people) if in_force(hold, now)]

    async def seal_held(self, tenant_id: str, person: Person) -> None:
        """Seal what the holds in force cover under each one's own key.

        It may be repeated: sealed again, the same is the same blob.
        """
        for hold in await self.holds(tenant_id, person.uids):
            count = 0
            for stretches in person.stretches():
                rows = await self.graph.read(
                    partial(
                        erasure.list_held.many,
                        tenant_id=tenant_id,
                        stretches=stretches,
                        people=list(person.uids),
                    )
                )
                if rows:
                    data = json.dumps([await self._whole(tenant_id, row) for row in rows]).encode()
                    digest = hashlib.sha256(data).hexdigest()
                    await self.blobs.put(tenant_id, [hold_scope(hold["uid"])], digest, data)
                count += len(rows)
            await self.graph.write(
                partial(
                    legal_holds.update_hold.one,
                    tenant_id=tenant_id,
                    hold_id=hold["hold_id"],
                    changes={"item_count": max(count, hold.get("item_count") or 0)},
                )
            )

    async def held(self, tenant_id: str, people: Iterable[str]) -> int:
        """How many events the holds in force on people keep sealed."""
        return sum(hold.get("item_count") or 0 for hold in await self.holds(tenant_id, people))

    async def open_hold(self, tenant_id: str, hold_uid: str) -> list[Any]:
        """What a hold keeps of an erased person, event by event."""
        scope, found = [hold_scope(hold_uid)], []
        async for digest, _ in self.blobs.list_scope(tenant_id, scope):
            found += json.loads(await self.blobs.get(tenant_id, scope, digest))
        return found

    async def end_hold(self, tenant_id: str, hold_uid: str) -> tuple[int, int]:
        """Destroy what a hold kept; answers how many blobs, and their bytes."""
        scope = [hold_scope(hold_uid)]
        self.keys.destroy(tenant_id, scope)
        return await self.blobs.delete_scope(tenant_id, scope)

    async def end_ended(self, tenant_id: str, people: Iterable[str]) -> None:
        """Destroy again what holds on people kept that have ended: one may have ended while it was sealed."""
        for hold in await self.all_holds(tenant_id, people):
            if hold.get("ended_at") is not None:
                await self.end_hold(tenant_id, hold["uid"])

    async def all_holds(self, tenant_id: str, people: Iterable[str] = ()) -> list[Row]:
        """The legal holds on people, or of the whole tenant, oldest first, ended ones too."""
        rows = await self.graph.read(
            partial(legal_holds.list_holds.many, tenant_id=tenant_id, people=list(people), limit=HOLDS_MAX)
        )
        return [row["hold"] for row in rows]

    async def _whole(self, tenant_id: str, row: Row) -> Row:
        """A payload with the large bytes that it names. Where their key is destroyed they were sealed before,
        by a runner that died, or while a restored copy was newer."""
        blobs = {}
        for digest in blobs_in(json.loads(row["body"])):
            with suppress(NotFound):
                data = await self.blobs.get(tenant_id, row["subject_uids"], digest)
                blobs[digest] = base64.b64encode(data).decode()
        return {**row, "blobs": blobs}


def hold_scope(hold_uid: str) -> str:
    """Under whose name a hold's blobs are sealed: nobody's but its own."""
    return f"hold-{hold_uid}"


def in_force(hold: Row, at: datetime) -> bool:
    """Whether a legal hold holds at a time."""
    return bool(hold.get("ended_at") is None and hold["expires_at"].to_native() > at)


def blobs_in(value: Any) -> list[str]:
    """The hashes of the large bytes that a payload names."""
    if isinstance(value, dict):
        if isinstance(value.get("blob"), str):
            return [value["blob"]]
        return [digest for one in value.values() for digest in blobs_in(one)]
    return [digest for one in value for digest in blobs_in(one)] if isinstance(value, list) else []
