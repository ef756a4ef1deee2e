"""Run the rules that always hold over the data of every tenant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from jobs.job import Deps, Report
from service.errors import Unavailable
from service.graph.driver import Graph
from service.graph.inspection import INVARIANTS, all_tenants, broken_invariants
from service.telemetry import INVARIANT_OFFENCES

SCHEDULE: Final = "30 3 * * *"


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report per broken rule how many rows break it. It changes nothing; a dry run sets no metric."""
    report = await check(deps.graph, await all_tenants(deps.graph))
    if not dry_run:
        for invariant in INVARIANTS:
            INVARIANT_OFFENCES.labels(invariant).set(report["broken"].get(invariant, 0))
    return report


async def check(graph: Graph, tenant_ids: Iterable[str]) -> Report:
    """The report about some tenants. A tenant too large for one unit of work counts as `unfinished`."""
    broken: Counter[str] = Counter()
    tenants = unfinished = 0
    for tenant_id in tenant_ids:
        tenants += 1
        try:
            found = await broken_invariants(graph, tenant_id)
        except Unavailable:
            unfinished += 1
        else:
            broken.update({invariant: len(rows) for invariant, rows in found.items()})
    return {
        "sound": not broken and not unfinished,
        "tenants": tenants,
        "unfinished": unfinished,
        "broken": dict(broken),
    }
