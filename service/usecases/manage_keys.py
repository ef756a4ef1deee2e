"""Make tenants and API keys, and recognise a presented key. Keys are random and stored as HMAC-SHA256."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from service.clock import Clock
from service.errors import ConstraintBroken, IdTaken, NotFound, Unauthorized
from service.graph import tenants
from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.model.caller import TENANT_SCOPES, Caller, Scope
from service.usecases.single_flight import SingleFlight

KEY_PREFIX = "rg_"
KEY_BYTES = 32
KEY_CHARS_MAX = 128
CACHED_KEYS_MAX = 10_000
CACHE_AGE_MAX = timedelta(seconds=10)
"""How long a revoked key may still be recognised by a replica that has seen it."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as shown once: `api_key` is not stored anywhere."""

    tenant_id: str
    key_uid: str
    api_key: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Tenants and keys over one graph. `secret` keys the stored hashes; `admin_key` opens operator calls."""

    graph: Graph
    clock: Clock
    secret: bytes
    admin_key: str | None = None
    _cache: OrderedDict[str, tuple[datetime, Caller]] = field(default_factory=OrderedDict)
    _reading: SingleFlight[str, Caller] = field(default_factory=SingleFlight)

    async def create_tenant(self, name: str) -> NewKey:
        """A tenant with its first key, which may record, assemble and read. Raises IdTaken."""
        tenant_id = new_uid()
        key, row = self._new_key(tenant_id)
        tenant = {"tenant_id": tenant_id, "uid": tenant_id, "name": name, "created_at": self.clock()}

        async def work(tx: Transaction) -> None:
            await tenants.create_tenant.none(tx, tenant=tenant)
            await tenants.create_api_key.none(tx, api_key=row)

        try:
            await self.graph.write(work)
        except ConstraintBroken:
            raise IdTaken("name") from None
        return key

    async def create_key(self, tenant_name: str, scopes: Iterable[Scope] = TENANT_SCOPES) -> NewKey:
        """A further key for the tenant of that name, which may do what its scopes say. Raises NotFound."""

        async def find(tx: Transaction) -> dict[str, Any] | None:
            return await tenants.find_tenant.one(tx, name=tenant_name)

        found = await self.graph.read(find)
        if found is None:
            raise NotFound("tenant")
        key, row = self._new_key(found["tenant_id"], scopes)
        await self.graph.write(lambda tx: tenants.create_api_key.none(tx, api_key=row))
        return key

    async def revoke_key(self, key_uid: str) -> None:
        """End a key. Raises NotFound. A replica that has seen it may know it for CACHE_AGE_MAX more."""
        found, _ = await self.graph.write(
            lambda tx: tenants.revoke_api_key.one(tx, uid=key_uid, revoked_at=self.clock())
        )
        if found is None:
            raise NotFound("key")
        self._cache.clear()

    def forget(self, tenant_id: str) -> None:
        """Recognise no key of a tenant by what this process has seen."""
        for known in [key for key, (_, caller) in self._cache.items() if caller.tenant_id == tenant_id]:
            del self._cache[known]

    async def recognise(self, presented: str) -> Caller:
        """Who holds this key. Raises Unauthorized."""
        if self.admin_key and hmac.compare_digest(presented.encode(), self.admin_key.encode()):
            return Caller("", "operator", frozenset({Scope.OPERATE}))
        if not presented.startswith(KEY_PREFIX) or len(presented) > KEY_CHARS_MAX:
            raise Unauthorized
        key_hash = self._hash(presented)
        cached = self._cache.get(key_hash)
        if cached is not None and self.clock() - cached[0] < CACHE_AGE_MAX:
            return cached[1]
        return await self._reading(key_hash, partial(self._read, key_hash))

    async def _read(self, key_hash: str) -> Caller:
        now = self.clock()
        found = await self.graph.read(lambda tx: tenants.find_api_key.one(tx, key_hash=key_hash))
        if found is None:
            self._cache.pop(key_hash, None)
            raise Unauthorized
        caller = Caller(found["tenant_id"], found["uid"], frozenset(map(Scope, found["scopes"])))
        self._cache[key_hash] = (now, caller)
        if len(self._cache) > CACHED_KEYS_MAX:
            self._cache.popitem(last=False)
        return caller

    def _new_key(
        self, tenant_id: str, scopes: Iterable[Scope] = TENANT_SCOPES
    ) -> tuple[NewKey, dict[str, Any]]:
        api_key = KEY_PREFIX + secrets.token_urlsafe(KEY_BYTES)
        row: dict[str, Any] = {
            "uid": new_uid(),
            "tenant_id": tenant_id,
            "key_hash": self._hash(api_key),
            "scopes": sorted({scope.value for scope in scopes}),
            "created_at": self.clock(),
        }
        return NewKey(tenant_id, row["uid"], api_key), row

    def _hash(self, api_key: str) -> str:
        return hmac.new(self.secret, api_key.encode(), hashlib.sha256).hexdigest()
