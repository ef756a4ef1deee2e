"""Judge answers that nobody has judged yet: those whose process ended between recording and judging."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from jobs.job import Deps, Report
from service.graph.inspection import all_tenants
from service.usecases.configure_tenant import Configurations
from service.usecases.judge_answer import JudgeAnswer

SCHEDULE: Final = timedelta(minutes=10)
AGE: Final = timedelta(minutes=2), timedelta(days=1)
"""Ages of the contexts whose answers are looked at: a younger one's is just being judged."""
ANSWERS_MAX: Final = 500
"""Of one tenant in one run, oldest first; what is left is for the next one."""


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many answers were `judged`, or are `due`. Each is a transaction of its own."""
    judge = JudgeAnswer(deps.graph, deps.clock, Configurations(deps.graph, deps.clock))
    count = 0
    for tenant_id in await all_tenants(deps.graph):
        due = await judge.overdue(tenant_id, AGE, ANSWERS_MAX)
        count += len(due) if dry_run else await judge.by_itself(tenant_id, due)
    return {"sound": True, "due" if dry_run else "judged": count}
