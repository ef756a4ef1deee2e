"""Cypher narrows by lineage and by nothing else, compared with a model in which a fork is a copy."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.api.services import Services
from service.clock import SystemClock
from service.graph import assemblies, tenants
from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.model.caller import TENANT_SCOPES, Caller
from service.model.events import Batch
from service.model.lineage import Lineage

STEPS = 30
ALL = 10_000
READ_BRANCHES = """
MATCH (b:Branch {tenant_id: $tenant_id})
RETURN b.branch_id AS branch_id, b.branch_ref AS branch_ref, b.lineage AS lineage, b.cutoffs AS cutoffs,
       b.head AS head
"""


@dataclass
class View:
    """What a branch should read, as `(seq, client id)`: messages, calls and their results."""

    head: int
    messages: list[tuple[int, str]] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)

    def up_to(self, seq: int) -> View:
        """A copy that ends there."""
        return View(
            seq,
            [one for one in self.messages if one[0] <= seq],
            {call: at for call, at in self.calls.items() if at <= seq},
            {call: at for call, at in self.results.items() if at <= seq},
        )


@dataclass
class Story:
    """A conversation that is made up and recorded step by step, and the views it should give."""

    services: Services
    tenant_id: str
    chance: random.Random
    conversation_id: str = field(default_factory=new_uid)
    views: dict[str, View] = field(default_factory=lambda: {"main": View(0)})
    made: int = 0

    async def record(self, branch_id: str, event: dict[str, Any]) -> int:
        """Record one event; its seq."""
        document = {"conversation_id": self.conversation_id, "branch_id": branch_id, "events": [event]}
        caller = Caller(self.tenant_id, "key", frozenset(TENANT_SCOPES))
        appended = await self.services.append_events(caller, Batch.model_validate(document), None)
        self.views[branch_id].head = appended.head
        return appended.head

    async def begin(self) -> None:
        """Open the conversation with one seat."""
        await self.record("main", {"kind": "conversation"})
        seat = {"kind": "participant", "participant_id": "agent", "participant_kind": "agent"}
        await self.record("main", seat)

    async def step(self) -> None:
        """One thing happens somewhere."""
        self.made += 1
        name = f"{self.made}"
        branch_id = self.chance.choice(sorted(self.views))
        view = self.views[branch_id]
        waiting = sorted(view.calls.keys() - view.results.keys())
        event: dict[str, Any]
        match self.chance.choice(["message", "call", "call", "result", "result", "fork"]):
            case "message":
                part = {"type": "text", "content": name}
                event = {"kind": "message", "message_id": name, "role": "assistant", "parts": [part]}
                view.messages.append((await self.record(branch_id, owned(event)), name))
            case "call":
                event = {"kind": "tool_call", "call_id": name, "tool_name": "look", "arguments": {"n": name}}
                view.calls[name] = await self.record(branch_id, owned(event))
            case "result" if waiting:
                call = self.chance.choice(waiting)
                event = {"kind": "tool_result", "call_id": call, "result": {"n": name}}
                view.results[call] = await self.record(branch_id, event)
            case "fork":
                at_seq = self.chance.randint(1, view.head)
                event = {"kind": "fork", "branch_id": name, "parent_branch_id": branch_id, "at_seq": at_seq}
                forked = view.up_to(at_seq)
                await self.record("main", event)
                self.views[name] = forked


def owned(event: dict[str, Any]) -> dict[str, Any]:
    """The event, by the one who is there."""
    return event | {"participant_id": "agent", "visibility": "branch"}


@pytest.mark.parametrize("seed", range(5))
async def test_a_branch_reads_its_lineage_and_nothing_else(
    graph: Graph, services: Services, tenant_id: str, seed: int
) -> None:
    tenant = {"tenant_id": tenant_id, "uid": tenant_id, "name": tenant_id, "created_at": SystemClock()()}
    await graph.write(lambda tx: tenants.create_tenant.none(tx, tenant=tenant))
    story = Story(services, tenant_id, random.Random(seed))
    await story.begin()
    for _ in range(STEPS):
        await story.step()
    assert len(story.views) > 2
    lineages = await read_lineages(graph, tenant_id)
    assert lineages.keys() == story.views.keys()
    for branch_id, view in story.views.items():
        found = await read_branch(graph, tenant_id, lineages[branch_id], seen_seq=view.head // 2)
        assert found == expected(view, seen_seq=view.head // 2), f"branch {branch_id}"


def expected(view: View, seen_seq: int) -> dict[str, Any]:
    """What the queries should give for a view, newest first."""
    calls = [
        (at, call, view.results.get(call))
        for call, at in view.calls.items()
        if call not in view.results or view.results[call] > seen_seq
    ]
    return {
        "messages": sorted(view.messages, reverse=True),
        "memories": sorted(view.results.values(), reverse=True),
        "calls": sorted(calls, reverse=True),
    }


async def read_branch(graph: Graph, tenant_id: str, lineage: Lineage, seen_seq: int) -> dict[str, Any]:
    """What the queries give."""
    asked = {"tenant_id": tenant_id, "stretches": lineage.parameters(), "limit": ALL}

    async def work(tx: Transaction) -> dict[str, Any]:
        messages = await assemblies.list_messages.many(tx, **asked, user_seq=0)
        memories = await assemblies.list_memories.many(tx, **asked)
        calls = await assemblies.list_open_calls.many(tx, **asked, seen_seq=seen_seq, participant_uid="")
        return {
            "messages": [(row["seq"], row["text"]) for row in messages],
            "memories": [row["seq"] for row in memories],
            "calls": [(row["call_seq"], row["call_id"], row["result_seq"]) for row in calls],
        }

    return await graph.read(work)


async def read_lineages(graph: Graph, tenant_id: str) -> dict[str, Lineage]:
    """Every branch's lineage, as stored."""

    async def work(tx: Transaction) -> dict[str, Lineage]:
        result = await tx.run(READ_BRANCHES, {"tenant_id": tenant_id})
        return {
            row["branch_id"]: Lineage.of(row["branch_ref"], row["lineage"], row["cutoffs"], row["head"])
            for row in await result.data()
        }

    return await graph.read(work)
