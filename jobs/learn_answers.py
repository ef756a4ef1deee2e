"""Learn from the answers that wait: questions, answers and what they name go into the knowledge graph."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final

from jobs.job import Deps, Report
from service.graph.knowledge_graph import list_waiting
from service.usecases.configure_tenant import Configurations
from service.usecases.draw_insights import DrawInsights
from service.usecases.learn_answers import LearnAnswers

SCHEDULE: Final = timedelta(minutes=1)
TENANTS_PER_PAGE: Final = 500


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many answers were `learned`, `not_learned` (barred by settings, private or sensitive) and
    `passed` (they failed and wait on), or with a dry run how many are `waiting`."""
    configurations = Configurations(deps.graph, deps.clock)
    learn = LearnAnswers(deps.graph, configurations)
    draw = DrawInsights(deps.graph, deps.clock, configurations)
    tenants = waiting = learned = not_learned = passed = 0
    after = ""
    while True:
        page = await deps.graph.read(partial(list_waiting.many, after=after, limit=TENANTS_PER_PAGE))
        tenants, waiting = tenants + len(page), waiting + sum(row["waiting"] for row in page)
        for row in page if not dry_run else ():
            done = await learn(row["tenant_id"])
            await draw(row["tenant_id"])
            learned, not_learned = learned + done.learned, not_learned + done.not_learned
            passed += done.passed
        if len(page) < TENANTS_PER_PAGE:
            break
        after = page[-1]["tenant_id"]
    if dry_run:
        return {"sound": True, "tenants": tenants, "waiting": waiting}
    return {
        "sound": not passed,
        "tenants": tenants,
        "learned": learned,
        "not_learned": not_learned,
        "passed": passed,
    }
