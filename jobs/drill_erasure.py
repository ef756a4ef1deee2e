"""Erase a made-up person full of canaries, and say whether the proof of erasures works."""

from __future__ import annotations

from typing import Final

from jobs.job import Deps, Report
from service.usecases.drill_erasure import drill_erasure
from service.usecases.erasure.custody import custody_of

SCHEDULE: Final = "40 3 1 * *"
"""The first of each month."""


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many canaries were seeded, and found before and after. A dry run does nothing."""
    if dry_run:
        return {"sound": True}
    report = await drill_erasure(
        deps.graph, custody_of(deps.settings), deps.clock, deps.settings.server_secret()
    )
    counts = {"canaries": report.canaries, "before": report.found_before, "after": report.found_after}
    return {"sound": report.sound, **counts, **({"failed": report.failed} if report.failed else {})}
