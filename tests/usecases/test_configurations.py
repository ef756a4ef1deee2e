"""Configurations: versions are read once per process, and what is kept of them has a bound."""

from __future__ import annotations

import pytest
from wired_tenant import Tenants

from service.model.configuration import TenantConfiguration
from service.usecases import configure_tenant


async def test_kept_versions_make_room_for_newer_ones_by_their_length(
    tenants: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configure_tenant, "CACHED_CHARS_MAX", 30_000)
    tenant = await tenants.new()
    configurations = tenant.use.configurations
    made = [TenantConfiguration(persona=f"{n}" * 10_000) for n in range(5)]
    numbers = [await configurations.create(tenant.caller, one, None) for one in made]
    for number, one in zip(numbers * 2, made * 2, strict=True):
        assert await configurations.show(tenant.caller, number) == one
        assert await configurations.show(tenant.caller, number) is await configurations.show(
            tenant.caller, number
        )
    kept = [number for tenant_id, number in configurations._cache if tenant_id == tenant.caller.tenant_id]
    assert kept == numbers[-2:]
