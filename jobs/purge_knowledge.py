"""Purge old queries, responses and insights that nothing refers to; products and other entities stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from jobs.job import Deps, Report
from service.graph.inspection import all_tenants
from service.usecases.configure_tenant import Configurations
from service.usecases.purge_knowledge import PurgeKnowledge

SCHEDULE: Final = "20 2 * * *"


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many of each kind were purged, or with a dry run would be: those older than their tenant's
    `purge_after_days`."""
    return await purge_knowledge(deps, await all_tenants(deps.graph), dry_run)


async def purge_knowledge(deps: Deps, tenant_ids: Iterable[str], dry_run: bool) -> Report:
    """The same for some tenants."""
    purge = PurgeKnowledge(deps.graph, deps.clock, Configurations(deps.graph, deps.clock))
    purged: Counter[str] = Counter()
    for tenant_id in tenant_ids:
        purged.update(await purge(tenant_id, dry_run=dry_run))
    return {"sound": True, **purged}
