"""Let the edges of the knowledge graph age: what was asked long ago counts for less."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from jobs.job import Deps, Report
from jobs.scheduling import due_time
from service.graph.inspection import all_tenants
from service.usecases.configure_tenant import Configurations
from service.usecases.decay_edges import DecayEdges
from service.usecases.draw_insights import DrawInsights

SCHEDULE: Final = timedelta(days=1)


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many `edges` got the weight that they have at the beginning of the day, and how many
    `insights` hold then. A dry run counts the edges that would."""
    return await decay_edges(deps, await all_tenants(deps.graph), dry_run)


async def decay_edges(deps: Deps, tenant_ids: Iterable[str], dry_run: bool) -> Report:
    """The same for some tenants."""
    configurations = Configurations(deps.graph, deps.clock)
    decay = DecayEdges(deps.graph, configurations)
    draw = DrawInsights(deps.graph, deps.clock, configurations)
    weighed_at = due_time(SCHEDULE, deps.clock())
    edges = insights = 0
    for tenant_id in tenant_ids:
        edges += await decay(tenant_id, weighed_at, dry_run=dry_run)
        insights += 0 if dry_run else await draw(tenant_id)
    return {"sound": True, "edges": edges, "insights": insights}
