"""Carry out each tenant's retention rules, and go on with what a dead process left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from jobs.job import Deps, Report
from service.errors import RuntimeGraphError
from service.graph.inspection import all_tenants
from service.usecases.erasure.custody import Custody, custody_of
from service.usecases.erasure.equip import equipped
from service.usecases.retention.run import told

SCHEDULE: Final = "40 2 * * *"


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report for each tenant where something was, or would be, `done` or `kept`, by label; `failed` are the
    tenants whose rules could not be carried out."""
    tenants = await all_tenants(deps.graph)
    return await carry_out_retention(deps, custody_of(deps.settings), tenants, dry_run)


async def carry_out_retention(
    deps: Deps, custody: Custody, tenant_ids: Iterable[str], dry_run: bool
) -> Report:
    """The same for some tenants."""
    retention = equipped(deps.graph, custody, deps.clock, deps.settings.server_secret()).retention
    tenants: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for tenant_id in tenant_ids:
        try:
            if dry_run:
                seen = await retention.preview(tenant_id)
                outcome: dict[str, Any] = {"done": seen.done, "kept": seen.kept}
            else:
                outcome = told(await retention(tenant_id))
        except RuntimeGraphError as error:  # one that cannot go on keeps no other one waiting
            failed[tenant_id] = error.code
            continue
        if any(outcome.values()):
            tenants[tenant_id] = outcome
    return {"sound": not failed, "tenants": tenants, "failed_tenants": failed}
