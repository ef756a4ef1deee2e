"""Sign the log's tree heads, and keep each as a line of a file outside the database."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from jobs.job import Deps, Report
from service.log.kept_heads import KeptHeads
from service.usecases.manage_signing_key import load_signer, trusted_keys
from service.usecases.sign_tree_heads import SignTreeHeads

SCHEDULE: Final = timedelta(minutes=5)
REFUSED_MAX: Final = 20
"""Bad positions that a report names; it counts them all."""


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many heads were `signed`, and where a log did not go on from its last head. A dry run
    signs nothing and reports how many branches have `moved`."""
    keys = deps.settings.keys
    sign = SignTreeHeads(
        graph=deps.graph,
        clock=deps.clock,
        signer=load_signer(keys),
        trusted=trusted_keys(keys),
        kept=KeptHeads(deps.settings.tree_heads),
        every_events=deps.settings.tree_head_events,
    )
    done = await sign(dry_run=dry_run)
    if dry_run:
        return {"sound": True, "moved": done.branches}
    return {
        "sound": not done.refused,
        "moved": done.branches,
        "signed": done.heads,
        "refused": len(done.refused),
        "first_refused": [str(fault) for fault in done.refused[:REFUSED_MAX]],
    }
