"""A tenant's configuration: versions that are made, read and switched on, never changed."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from service.clock import Clock
from service.errors import Conflict, LimitExceeded, NotFound
from service.graph import configurations, tenants
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.configuration import SETTINGS_CHARS_MAX, TenantConfiguration

DEFAULTS = 0
"""The version of a tenant that has configured nothing."""
UNSET = TenantConfiguration()
CACHED_MAX = 1_000
CACHED_CHARS_MAX = 16 * SETTINGS_CHARS_MAX
"""Most characters of JSON that the cached versions were read from, all together."""
LISTED_MAX = 100


@dataclass(frozen=True, slots=True)
class Configurations:
    """The use case with what it works on. A version never changes, so it is read once per process."""

    graph: Graph
    clock: Clock
    _cache: OrderedDict[tuple[str, int], tuple[TenantConfiguration, int]] = field(default_factory=OrderedDict)

    async def read(self, tx: Transaction, tenant_id: str, version: int) -> TenantConfiguration:
        """One version, within somebody's transaction. Raises NotFound."""
        if version == DEFAULTS:
            return UNSET
        if (tenant_id, version) in self._cache:
            return self._cache[tenant_id, version][0]
        row = await configurations.read_configuration.one(tx, tenant_id=tenant_id, version=version)
        if row is None:
            raise NotFound("configuration version")
        found = TenantConfiguration.model_validate_json(row["settings"])
        self._cache[tenant_id, version] = found, len(row["settings"])
        while len(self._cache) > CACHED_MAX or self._cached_chars() > CACHED_CHARS_MAX:
            self._cache.popitem(last=False)
        return found

    async def active(self, tx: Transaction, tenant_id: str) -> TenantConfiguration:
        """The version that is active, within somebody's transaction. Raises NotFound."""
        row = await tenants.read_active_version.one(tx, tenant_id=tenant_id)
        if row is None:
            raise NotFound("tenant")
        return await self.read(tx, tenant_id, row["active_version"])

    def _cached_chars(self) -> int:
        return sum(chars for _, chars in self._cache.values())

    async def show(self, caller: Caller, version: int) -> TenantConfiguration:
        """One version's settings. Raises NotFound."""
        return await self.graph.read(lambda tx: self.read(tx, caller.tenant_id, version))

    async def versions(self, caller: Caller) -> list[dict[str, Any]]:
        """The newest LISTED_MAX versions, newest first, and which is active."""
        return await self.graph.read(
            lambda tx: configurations.list_configurations.many(
                tx, tenant_id=caller.tenant_id, limit=LISTED_MAX
            )
        )

    async def create(self, caller: Caller, settings: TenantConfiguration, note: str | None) -> int:
        """Keep a version without switching it on; answers its number. Raises LimitExceeded."""
        text = canonical(json.loads(settings.model_dump_json()))
        if len(text) > SETTINGS_CHARS_MAX:
            raise LimitExceeded("The settings as JSON", SETTINGS_CHARS_MAX, "characters")
        row = {
            "configuration_version": settings.version(),
            "settings": text,
            "note": note,
            "created_at": self.clock(),
        }

        async def work(tx: Transaction) -> dict[str, Any] | None:
            return await configurations.create_configuration.one(
                tx, tenant_id=caller.tenant_id, configuration=row
            )

        made, _ = await self.graph.write(work)
        if made is None:
            raise NotFound("tenant")
        return int(made["version"])

    async def activate(self, caller: Caller, version: int, expected_version: int) -> None:
        """Switch a version on, or the defaults again. Raises NotFound, or Conflict where another one was
        switched on meanwhile."""

        async def work(tx: Transaction) -> dict[str, Any] | None:
            return await configurations.activate_configuration.one(
                tx, tenant_id=caller.tenant_id, version=version, expected_version=expected_version
            )

        done, _ = await self.graph.write(work)
        if done is None or done["version"] is None:
            raise NotFound("configuration version")
        if done["was"] != expected_version:
            raise Conflict(f"Version {done['was']} is active.")
