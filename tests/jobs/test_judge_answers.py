"""What a process did not come to judge is judged by the job, once."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agent_platform import OPENING, Platform, asked, ran, replied
from served import ADMIN_KEY, Rows, serve

from jobs import judge_answers
from jobs.job import Deps
from service.clock import FixedClock
from service.graph.driver import Graph
from service.storage.blobs import Blobs

THEN = datetime(2031, 3, 1, 12, tzinfo=UTC)
"""Apart from the contexts of all other tests, whose answers no run here may reach."""


async def test_an_answer_whose_judgement_was_lost_is_judged_once(
    graph: Graph, blobs: Blobs, rows: Rows, deps: Deps
) -> None:
    async with serve(graph, blobs, FixedClock(THEN)) as http:
        operator = Platform(http, ADMIN_KEY, "")
        made = await operator.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})
        platform = Platform(http, made.json()["api_key"], made.json()["tenant_id"])
        await platform.recorded(*OPENING, asked("q1", "Which flight?"))
        context = await platform.assembled(provider="local")
        run = ran("r1", assembly_id=context["assembly_id"])
        await platform.recorded(run, replied("a1", "HAT022.", run_id="r1"))
    lost = "MATCH (j:Judgement {tenant_id: $t}) DETACH DELETE j"
    await graph.write(lambda tx: tx.run(lost, {"t": platform.tenant_id}))

    early = replace(deps, clock=FixedClock(THEN + timedelta(minutes=1)))
    assert await judge_answers.run(early, dry_run=True) == {"sound": True, "due": 0}
    later = replace(deps, clock=FixedClock(THEN + timedelta(minutes=5)))
    assert await judge_answers.run(later, dry_run=True) == {"sound": True, "due": 1}
    assert await judge_answers.run(later, dry_run=False) == {"sound": True, "judged": 1}
    assert await judge_answers.run(later, dry_run=False) == {"sound": True, "judged": 0}
    count = "MATCH (j:Judgement {tenant_id: $t})-[:JUDGES]->(m:Message) RETURN m.message_id AS id"
    assert await rows(count, t=platform.tenant_id) == [{"id": "a1"}]
