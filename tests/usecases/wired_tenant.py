"""The use cases of one tenant, with a clock of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from service.api.services import Services
from service.clock import FixedClock
from service.model.caller import Caller
from service.model.configuration import DEFAULT_PROVIDERS, ProviderRoute

STARTED_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROVIDERS = {
    **DEFAULT_PROVIDERS,
    "zdr": ProviderRoute(trains_on_data=False, zero_data_retention=True),
    "hobby": ProviderRoute(),
}


@dataclass(frozen=True)
class Tenant:
    """The use cases, a tenant of their own, and their clock."""

    use: Services
    caller: Caller
    clock: FixedClock
