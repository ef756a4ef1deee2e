"""Compare every branch's stored lineage with what INHERITS says, by the code that forks branches."""

from __future__ import annotations

from functools import partial
from typing import Final

from jobs.job import Deps, Report
from service.graph.inspection import list_lineages
from service.log.lineages import agrees
from service.telemetry import WRONG_LINEAGES

SCHEDULE: Final = "45 */6 * * *"
BATCH_ROWS: Final = 500
UIDS_MAX: Final = 20
"""Uids of wrong branches that a report names; it counts them all."""


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many branches are `wrong`, and some of them. It changes nothing; a dry run sets no
    metric."""
    branches = wrong = 0
    uids: list[str] = []
    after = 0
    while True:
        batch = await deps.graph.read(partial(list_lineages.many, after=after, limit=BATCH_ROWS))
        faulty = [branch["branch_uid"] for branch in batch if not agrees(branch)]
        branches, wrong = branches + len(batch), wrong + len(faulty)
        uids += faulty[: UIDS_MAX - len(uids)]
        if len(batch) < BATCH_ROWS:
            break
        after = batch[-1]["branch_ref"]
    if not dry_run:
        WRONG_LINEAGES.set(wrong)
    return {"sound": not wrong, "branches": branches, "wrong": wrong, "branch_uids": uids}
