"""The use cases of one tenant, with a clock of their own."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from service.api.services import Services
from service.clock import FixedClock
from service.model.caller import Caller
from service.model.configuration import DEFAULT_PROVIDERS, ProviderRoute, TenantConfiguration

STARTED_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROVIDERS = {
    **DEFAULT_PROVIDERS,
    "zdr": ProviderRoute(trains_on_data=False, zero_data_retention=True),
    "hobby": ProviderRoute(),
}


@dataclass
class Tenant:
    """The use cases, a tenant of their own, their clock, and the number of its active configuration."""

    use: Services = field(repr=False)
    caller: Caller
    clock: FixedClock
    configured: int = 0

    async def configure(self, providers: Mapping[str, ProviderRoute], persona: str | None = None) -> None:
        """Make a version of the configuration with these routes, and switch it on."""
        settings = TenantConfiguration(providers=dict(providers), persona=persona)
        number = await self.use.configurations.create(self.caller, settings, None)
        await self.use.configurations.activate(self.caller, number, self.configured)
        self.configured = number


@dataclass(frozen=True)
class Tenants:
    """Use cases over the shared Neo4j, and new tenants for them."""

    use: Services = field(repr=False)
    clock: FixedClock

    async def new(self) -> Tenant:
        """A tenant without anything; the clock is set back to the start."""
        self.clock.advance(STARTED_AT - self.clock())
        made = await self.use.keys.create_tenant(f"tenant-{secrets.token_hex(8)}")
        return Tenant(self.use, await self.use.keys.recognise(made.api_key), self.clock)
