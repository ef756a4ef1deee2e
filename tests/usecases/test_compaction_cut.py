"""A compaction that is cut anywhere leaves the old view or the new one; one that is slow stops nobody."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Any

import pytest
from agent_platform import OPENING, Json, asked, replied
from bolt_cutter import bolt_cutter
from served import Rows
from wired_tenant import Tenant, Tenants

from service.embedded import Database
from service.errors import RuntimeGraphError
from service.graph import driver
from service.graph.driver import Graph
from service.model.compaction import SummarisedItem, SummaryLine
from service.model.configuration import TenantConfiguration
from service.model.events import Batch
from service.storage.blobs import Blobs
from service.usecases import compact_branch
from service.usecases.compact_branch import CompactBranch, CompactRequest
from service.usecases.read_transcript import Opened, Place
from service.usecases.summarise_items import SummariseItems
from service.wiring import wire

MESSAGES_MAX = 120
"""More often than that a compaction sends nothing to the database."""
MAIN = Place("c", "main", None)
VIEW = """
MATCH (b:Branch {tenant_id: $t})
OPTIONAL MATCH (e:Event {tenant_id: $t, kind: 'compaction'})
OPTIONAL MATCH (c:Compaction {tenant_id: $t})
RETURN b.head AS head, count(DISTINCT e) AS events, count(DISTINCT c) AS compactions,
       COUNT { MATCH (l:SummaryLine {tenant_id: $t}) } AS lines,
       COUNT { MATCH (:Compaction {tenant_id: $t})-[:HAS_LINE]->(:SummaryLine) } AS in_it,
       COUNT { MATCH (:SummaryLine {tenant_id: $t})-[:SUMMARISES]->() } AS pointers
"""


async def record(tenant: Tenant, *events: Json) -> int:
    batch = Batch.model_validate({"conversation_id": "c", "events": events})
    return (await tenant.use.append_events(tenant.caller, batch, None)).head


async def talked(tenants: Tenants) -> Tenant:
    """A tenant with six messages and a newest one, at seqs 4 to 10."""
    tenant = await tenants.new()
    talk = [asked(f"m{n}", f"Part {n} is in rack {n}.") for n in range(3)]
    talk += [replied(f"r{n}", f"Rack {n} is full.") for n in range(3)]
    await record(tenant, *OPENING, *talk, asked("q", "Go on."))
    return tenant


async def test_a_compaction_that_is_cut_anywhere_leaves_the_old_view_or_the_new_one(
    tenants: Tenants,
    neo4j_server: Database,
    blobs: Blobs,
    rows: Rows,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "RETRY_S", 0.0)
    tenant = await talked(tenants)
    old = {"head": 10, "events": 0, "compactions": 0, "lines": 0, "in_it": 0, "pointers": 0}
    new = {"head": 11, "events": 1, "compactions": 1, "lines": 6, "in_it": 6, "pointers": 6}
    cuts = 0
    async with bolt_cutter(neo4j_server.uri) as cutter:
        for messages in range(MESSAGES_MAX):
            cutter.messages_left = messages
            async with Graph(cutter.uri, neo4j_server.user, neo4j_server.password) as graph:
                use = wire(graph, blobs, secrets.token_bytes(32), None, tenants.clock)
                try:
                    await use.compact_branch(tenant.caller, CompactRequest(MAIN, "k", keep_tokens=0))
                except RuntimeGraphError:
                    cuts += 1
                    [view] = await rows(VIEW, t=tenant.caller.tenant_id)
                    assert view in (old, new)
                else:
                    break
    assert cuts > 5
    again = await tenant.use.compact_branch(tenant.caller, CompactRequest(MAIN, "k", keep_tokens=0))
    assert again.repeated and again.seq == 11
    assert await rows(VIEW, t=tenant.caller.tenant_id) == [new]


class Slow:
    """A summariser that waits until it is let go, as one behind a network may."""

    def __init__(self) -> None:
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()

    async def __call__(
        self, configuration: TenantConfiguration, items: Sequence[SummarisedItem]
    ) -> tuple[str, list[SummaryLine]]:
        self.asked.set()
        await self.let_go.wait()
        return await SummariseItems()(configuration, items)


async def test_others_append_while_a_summary_is_written_and_it_covers_what_was_read(
    tenants: Tenants, graph: Graph
) -> None:
    tenant, slow = await talked(tenants), Slow()
    compact = CompactBranch(graph, tenant.use.append_events, tenant.use.configurations, slow)
    async with asyncio.TaskGroup() as group:
        compacting = group.create_task(compact(tenant.caller, CompactRequest(MAIN, "slow", keep_tokens=0)))
        await slow.asked.wait()
        assert await record(tenant, replied("late", "Rack 9 is new."), asked("later", "And rack 10?")) == 12
        quick = await tenant.use.compact_branch(tenant.caller, CompactRequest(MAIN, "quick", keep_tokens=0))
        assert quick.seq == 13
        slow.let_go.set()
    assert compacting.result().seq == 14
    _, page = await tenant.use.read_transcript(tenant.caller, MAIN, None, 100, compacting.result().token)
    reached = {e["compaction_id"]: e["until_seq"] for e in page.entries if e["kind"] == "compaction"}
    assert reached == {"quick": 11, "slow": 9}
    messages = [e["seq"] for e in page.entries if e["kind"] == "message"]
    assert messages == [4, 5, 6, 7, 8, 9, 10, 11, 12]


async def test_a_compaction_that_another_makes_between_two_looks_is_answered_as_made(
    tenants: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = await talked(tenants)
    request = CompactRequest(MAIN, "same", keep_tokens=0)
    open_branch = compact_branch.open_branch

    async def overtaken(*asked: Any) -> Opened:
        monkeypatch.undo()
        await tenant.use.compact_branch(tenant.caller, request)
        return await open_branch(*asked)

    monkeypatch.setattr(compact_branch, "open_branch", overtaken)
    made = await tenant.use.compact_branch(tenant.caller, request)
    assert (made.seq, made.repeated) == (11, True)


async def test_two_who_find_a_branch_long_compact_it_once(tenants: Tenants, rows: Rows) -> None:
    tenant = await talked(tenants)
    request = CompactRequest(MAIN, "same", keep_tokens=0)
    made = await asyncio.gather(*(tenant.use.compact_branch(tenant.caller, request) for _ in range(4)))
    assert {one.seq for one in made} == {11}
    assert [one.repeated for one in made].count(False) == 1
    [view] = await rows(VIEW, t=tenant.caller.tenant_id)
    assert (view["events"], view["compactions"]) == (1, 1)
